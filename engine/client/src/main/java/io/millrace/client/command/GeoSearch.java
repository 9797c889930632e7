// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;

/**
 * Parameters of {@code GEOSEARCH}: centre, area, order and limit. Distances are in metres and must be more than 0.
 * Immutable.
 */
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

    /** Searches in a circle around {@code centre} with a radius of {@code metres}. */
    public static GeoSearch circle(GeoPosition centre, double metres) {
        return within(at(centre), radius(metres));
    }

    /**
     * Searches in a circle around {@code member} with a radius of {@code metres}. The server returns an error if the
     * member does not exist.
     */
    public static GeoSearch circle(String member, double metres) {
        return within(List.of("FROMMEMBER", member), radius(metres));
    }

    /** Same search as {@link #circle(String, double)}, with a binary member. */
    public static GeoSearch circle(byte[] member, double metres) {
        return within(List.of("FROMMEMBER", member), radius(metres));
    }

    /** Searches in a rectangle around {@code centre}. The width is from west to east. */
    public static GeoSearch box(GeoPosition centre, double widthMetres, double heightMetres) {
        return within(at(centre), sides(widthMetres, heightMetres));
    }

    /** Searches in a rectangle around {@code member}. The server returns an error if the member does not exist. */
    public static GeoSearch box(String member, double widthMetres, double heightMetres) {
        return within(List.of("FROMMEMBER", member), sides(widthMetres, heightMetres));
    }

    /** Same search as {@link #box(String, double, double)}, with a binary member. */
    public static GeoSearch box(byte[] member, double widthMetres, double heightMetres) {
        return within(List.of("FROMMEMBER", member), sides(widthMetres, heightMetres));
    }

    /** Returns a copy that sorts the farthest match first. By default the nearest match is first. */
    public GeoSearch farthestFirst() {
        return new GeoSearch(centre, area, "DESC", count);
    }

    /**
     * Returns a copy that finds only the first {@code limit} matches.
     *
     * @param limit maximum number of matches, 1 to 2,147,483,647
     */
    public GeoSearch limit(long limit) {
        return new GeoSearch(centre, area, order, Arguments.count("limit", limit));
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
