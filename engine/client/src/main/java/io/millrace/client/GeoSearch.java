// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/** Where to search, and what for. Distances are in metres, more than 0. */
public final class GeoSearch {

    private final List<Object> centre;
    private final List<Object> area;
    private final String order;
    private final long count;

    private GeoSearch(List<Object> centre, List<Object> area, String order, long count) {
        this.centre = centre;
        this.area = area;
        this.order = order;
        this.count = count;
    }

    /** Not farther than {@code metres} from {@code centre}. */
    public static GeoSearch circle(GeoPosition centre, double metres) {
        return within(at(centre), radius(metres));
    }

    /** Not farther than {@code metres} from where {@code member} is; an error if it is not there. */
    public static GeoSearch circle(String member, double metres) {
        return within(List.of("FROMMEMBER", member), radius(metres));
    }

    /** The same for a member of any bytes. */
    public static GeoSearch circle(byte[] member, double metres) {
        return within(List.of("FROMMEMBER", member), radius(metres));
    }

    /** In the rectangle around {@code centre} that is so wide, from west to east, and so high. */
    public static GeoSearch box(GeoPosition centre, double widthMetres, double heightMetres) {
        return within(at(centre), sides(widthMetres, heightMetres));
    }

    /** In the rectangle around where {@code member} is; an error if it is not there. */
    public static GeoSearch box(String member, double widthMetres, double heightMetres) {
        return within(List.of("FROMMEMBER", member), sides(widthMetres, heightMetres));
    }

    /** The same for a member of any bytes. */
    public static GeoSearch box(byte[] member, double widthMetres, double heightMetres) {
        return within(List.of("FROMMEMBER", member), sides(widthMetres, heightMetres));
    }

    /** The farthest first; otherwise the nearest is. */
    public GeoSearch farthestFirst() {
        return new GeoSearch(centre, area, "DESC", count);
    }

    /** Only the first {@code most}, 1 to 2,147,483,647. */
    public GeoSearch limit(long most) {
        return new GeoSearch(centre, area, order, Arguments.count("most", most));
    }

    Arguments addTo(Arguments arguments) {
        centre.forEach(arguments::add);
        area.forEach(arguments::add);
        arguments.add(order);
        return count == 0 ? arguments : arguments.add("COUNT").add(count);
    }

    private static GeoSearch within(List<Object> centre, List<Object> area) {
        return new GeoSearch(centre, area, "ASC", 0);
    }

    private static List<Object> at(GeoPosition centre) {
        return List.of("FROMLONLAT", centre.longitude(), centre.latitude());
    }

    private static List<Object> radius(double metres) {
        return List.of("BYRADIUS", positive("metres", metres), "m");
    }

    private static List<Object> sides(double widthMetres, double heightMetres) {
        return List.of("BYBOX", positive("widthMetres", widthMetres), positive("heightMetres", heightMetres), "m");
    }

    private static double positive(String name, double metres) {
        if (!(metres > 0 && Double.isFinite(metres))) {
            throw new IllegalArgumentException(name + " must be more than 0 and finite, not " + metres);
        }
        return metres;
    }
}
