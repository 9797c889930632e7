// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Commands on geospatial keys, which are sorted sets whose scores encode positions. Distances are in metres. Factories
 * with {@code byte[]} parameters are binary-safe: they send and return raw bytes.
 */
public final class Geo {

    /** {@code GEOADD key [options] longitude latitude member …}: returns the number of new members. */
    public static final CommandSpec<Long> GEOADD = CommandSpec.of("GEOADD", Decoders.INTEGER);

    /** {@code GEOPOS key member …}: returns the position of each member. */
    public static final CommandSpec<List<Optional<GeoPosition>>> GEOPOS = CommandSpec.of(
                    "GEOPOS", Replies.list(Replies.optional(Geo::position)))
            .idempotently();

    /** {@code GEODIST key member member [unit]}: returns the distance between two members. */
    public static final CommandSpec<Optional<Double>> GEODIST =
            CommandSpec.of("GEODIST", Replies.optional(Decoders.REAL)).idempotently();

    /** {@code GEOSEARCH key centre area … WITHCOORD WITHDIST}: returns the matches. */
    public static final CommandSpec<List<GeoMatch<String>>> GEOSEARCH =
            CommandSpec.of("GEOSEARCH", matches(Decoders.TEXT)).idempotently();

    /** {@code GEOHASH key member …}: returns the geohash of each member. */
    public static final CommandSpec<List<Optional<String>>> GEOHASH =
            CommandSpec.of("GEOHASH", Replies.list(Decoders.OPTIONAL_TEXT)).idempotently();

    /** {@code GEOSEARCHSTORE destination source centre area …}: returns the number of matches. */
    public static final CommandSpec<Long> GEOSEARCHSTORE = CommandSpec.of("GEOSEARCHSTORE", Decoders.INTEGER);

    private Geo() {}

    /** Sets the position of {@code member} in {@code key}. */
    public static Command<Long> add(String key, GeoPosition position, String member) {
        return Command.of(GEOADD, key, position.longitude(), position.latitude(), member);
    }

    /** Same command as {@link #add(String, GeoPosition, String)}, with a binary key and member. */
    public static Command<Long> add(byte[] key, GeoPosition position, byte[] member) {
        return Command.of(GEOADD, key, position.longitude(), position.latitude(), member);
    }

    /** Sets the positions of one or more members in {@code key}. */
    public static Command<Long> add(String key, Map<String, GeoPosition> positions) {
        return addAll(key, positions);
    }

    /** Same command as {@link #add(String, Map)}, with a binary key and binary members. */
    public static Command<Long> add(byte[] key, Map<byte[], GeoPosition> positions) {
        return addAll(key, positions);
    }

    /**
     * Reads the positions of {@code members} in {@code key}. The position of a missing member is empty. Requires at
     * least one member.
     */
    public static Command<List<Optional<GeoPosition>>> positions(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(GEOPOS);
    }

    /** Same command as {@link #positions(String, String...)}, with a binary key and binary members. */
    public static Command<List<Optional<GeoPosition>>> positions(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(GEOPOS);
    }

    /**
     * Reads the distance between the members {@code one} and {@code other}, empty if one of the members does not exist.
     */
    public static Command<Optional<Double>> distance(String key, String one, String other) {
        return Command.of(GEODIST, key, one, other, "m");
    }

    /** Same command as {@link #distance(String, String, String)}, with a binary key and binary members. */
    public static Command<Optional<Double>> distance(byte[] key, byte[] one, byte[] other) {
        return Command.of(GEODIST, key, one, other, "m");
    }

    /** Runs {@code search} on {@code key}. */
    public static Command<List<GeoMatch<String>>> search(String key, GeoSearch search) {
        return found(key, search);
    }

    /** Same command as {@link #search(String, GeoSearch)}, with a binary key and binary members. */
    public static Command<List<GeoMatch<byte[]>>> search(byte[] key, GeoSearch search) {
        return found(key, search).as(matches(Replies::bytes));
    }

    /**
     * Reads the geohashes of {@code members} in {@code key}, 11 characters each. The geohash of a missing member is
     * empty. Requires at least one member.
     */
    public static Command<List<Optional<String>>> hashes(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(GEOHASH);
    }

    /** Same command as {@link #hashes(String, String...)}, with a binary key and binary members. */
    public static Command<List<Optional<String>>> hashes(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(GEOHASH);
    }

    /**
     * Runs {@code search} on {@code source} and stores the matches in {@code destination}. Overwrites an existing
     * key.
     */
    public static Command<Long> storeSearch(String destination, String source, GeoSearch search) {
        return search.addTo(Arguments.of(destination, source)).to(GEOSEARCHSTORE);
    }

    /** Same command as {@link #storeSearch(String, String, GeoSearch)}, with binary keys. */
    public static Command<Long> storeSearch(byte[] destination, byte[] source, GeoSearch search) {
        return search.addTo(Arguments.of(destination, source)).to(GEOSEARCHSTORE);
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

    /** Decodes {@code [member, distance, [longitude, latitude]]} for each match. */
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
