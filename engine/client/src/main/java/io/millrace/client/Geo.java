// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Commands on places: members of a sorted set whose scores stand for positions. Distances are in metres. A factory that is
 * given {@code byte[]} sends, and answers, any bytes as they are.
 */
public final class Geo {

    /** {@code GEOADD key [options] longitude latitude member …}: how many are new. */
    public static final CommandSpec<Long> GEOADD = CommandSpec.of("GEOADD", Replies::integer);

    /** {@code GEOPOS key member …}: where each is. */
    public static final CommandSpec<List<Optional<GeoPosition>>> GEOPOS = CommandSpec.of(
                    "GEOPOS", Replies.list(Replies.optional(Geo::position)))
            .idempotently();

    /** {@code GEODIST key member member [unit]}: how far it is from one to the other. */
    public static final CommandSpec<Optional<Double>> GEODIST =
            CommandSpec.of("GEODIST", Replies.optional(Replies::real)).idempotently();

    /** {@code GEOSEARCH key centre area … WITHCOORD WITHDIST}: what was found. */
    public static final CommandSpec<List<GeoMatch<String>>> GEOSEARCH =
            CommandSpec.of("GEOSEARCH", matches(Replies::text)).idempotently();

    private Geo() {}

    /** Puts {@code member} of {@code key} at {@code position}. */
    public static Command<Long> add(String key, GeoPosition position, String member) {
        return Command.of(GEOADD, key, position.longitude(), position.latitude(), member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Long> add(byte[] key, GeoPosition position, byte[] member) {
        return Command.of(GEOADD, key, position.longitude(), position.latitude(), member);
    }

    /** Puts the members of {@code key} at their {@code positions}, at least one. */
    public static Command<Long> add(String key, Map<String, GeoPosition> positions) {
        return addAll(key, positions);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> add(byte[] key, Map<byte[], GeoPosition> positions) {
        return addAll(key, positions);
    }

    /** Reads where {@code members} of {@code key}, at least one, are; empty for one that is not there. */
    public static Command<List<Optional<GeoPosition>>> positions(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(GEOPOS);
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<Optional<GeoPosition>>> positions(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(GEOPOS);
    }

    /** How far it is from {@code one} to the {@code other}; empty if one of them is not there. */
    public static Command<Optional<Double>> distance(String key, String one, String other) {
        return Command.of(GEODIST, key, one, other, "m");
    }

    /** The same for a key and members of any bytes. */
    public static Command<Optional<Double>> distance(byte[] key, byte[] one, byte[] other) {
        return Command.of(GEODIST, key, one, other, "m");
    }

    /** Searches {@code key}. */
    public static Command<List<GeoMatch<String>>> search(String key, GeoSearch search) {
        return found(key, search);
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<GeoMatch<byte[]>>> search(byte[] key, GeoSearch search) {
        return found(key, search).as(matches(Replies::bytes));
    }

    private static Command<List<GeoMatch<String>>> found(Object key, GeoSearch search) {
        return search.addTo(Arguments.of(key)).add("WITHCOORD").add("WITHDIST").to(GEOSEARCH);
    }

    private static Command<Long> addAll(Object key, Map<?, GeoPosition> positions) {
        Arguments.notEmpty("positions", positions.size());
        Arguments arguments = Arguments.of(key);
        positions.forEach((member, position) ->
                arguments.add(position.longitude()).add(position.latitude()).add(member));
        return arguments.to(GEOADD);
    }

    /** {@code [member, distance, [longitude, latitude]]} for each. */
    private static <T> Function<Reply, List<GeoMatch<T>>> matches(Function<Reply, T> member) {
        return Replies.list(reply -> {
            List<Reply> parts = Replies.parts(3, "a member, its distance and its position", reply);
            return new GeoMatch<>(
                    member.apply(parts.getFirst()), Replies.real(parts.get(1)), position(parts.getLast()));
        });
    }

    private static GeoPosition position(Reply reply) {
        List<Reply> parts = Replies.parts(2, "longitude and latitude", reply);
        double longitude = Replies.real(parts.getFirst());
        double latitude = Replies.real(parts.getLast());
        try {
            return new GeoPosition(longitude, latitude);
        } catch (IllegalArgumentException e) {
            throw new UnexpectedReplyException("longitude and latitude", reply);
        }
    }
}
