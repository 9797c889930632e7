// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.Command;
import io.millrace.client.Hashes;
import io.millrace.client.Packing;
import io.millrace.client.PairPlace;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A map of text keys to small values, packed into hashes of Redis. The keys are those that the pairs would have as strings; which hash
 * and which field each is in is what its {@link Packing} says, whoever wrote it.
 *
 * <p>Thread-safe; each method waits for Redis, for the client's command timeout at most, and throws the {@link
 * io.millrace.client.RedisException} that says what happened. A key for which the packing has no place is an {@link
 * IllegalArgumentException}. Pairs have no expiry of their own.
 *
 * <p>Methods on many keys send a pipeline, with commands of many fields for each hash. They are no transaction: when a command fails, the
 * exception is thrown after the others of its pipeline, up to 10,000, have been answered, and nothing more is sent.
 *
 * @param <V> a value
 */
public final class PackedMap<V> {

    /** A compact hash is searched for each field: more in one command, and other callers would wait for it. */
    private static final int FIELDS_AT_ONCE = 256;

    /** Commands of one pipeline, so that a map of any size can be put without its replies filling the memory. */
    private static final int COMMANDS_AT_ONCE = 10_000;

    private final RedisClient client;
    private final Packing packing;
    private final PairCodec<V> codec;

    private PackedMap(RedisClient client, Packing packing, PairCodec<V> codec) {
        this.client = client;
        this.packing = packing;
        this.codec = codec;
    }

    /** The pairs that {@code packing} has places for, whether there are any yet or not. */
    public static <V> PackedMap<V> of(RedisClient client, Packing packing, PairCodec<V> codec) {
        return new PackedMap<>(client, packing, codec);
    }

    /** The value of {@code key}; empty if there is none. */
    public Optional<V> get(String key) {
        PairPlace place = placeOf(key);
        return client.call(Hashes.get(place.hash(), place.field())).map(codec.decode());
    }

    /** The values of those of {@code keys} that have one, in no particular order; a key that is named twice is asked for once. */
    public Map<String, V> getAll(Collection<String> keys) {
        Map<String, V> found = HashMap.newHashMap(keys.size());
        run(byHash(Set.copyOf(keys)), some -> Hashes.getEach(some.hash, some.fields()), (some, values) -> {
            for (int i = 0; i < values.size(); i++) {
                String key = some.keys.get(i);
                values.get(i).ifPresent(bytes -> found.put(key, codec.decode().apply(bytes)));
            }
        });
        return found;
    }

    /** Sets the value of {@code key}, in place of any it has. */
    public void put(String key, V value) {
        PairPlace place = placeOf(key);
        client.call(Hashes.set(place.hash(), place.field(), codec.encode().apply(value)));
    }

    /** Sets the values of all {@code pairs}, in place of any they have. */
    public void putAll(Map<String, V> pairs) {
        run(byHash(pairs.keySet()), some -> set(some, pairs), (some, added) -> {});
    }

    /** Removes the value of {@code key}; tells whether there was one. */
    public boolean remove(String key) {
        PairPlace place = placeOf(key);
        return client.call(Hashes.delete(place.hash(), place.field())) == 1;
    }

    /** Removes the values of all {@code keys}; tells how many there were. */
    public long removeAll(Collection<String> keys) {
        long[] removed = {0};
        run(
                byHash(Set.copyOf(keys)),
                some -> Hashes.delete(some.hash, some.fields()),
                (some, count) -> removed[0] += count);
        return removed[0];
    }

    /**
     * Measures what the pairs take in the server's memory, by looking at {@code most} hashes, drawn by chance, or at all if there are no
     * more. Finds them by a scan of the whole database: many commands, each short.
     *
     * @param most 1 to 1,000,000; a few hundred are enough for hashes that are alike
     */
    public PackedMemory memory(int most) {
        return new MemoryReading(client, packing).read(most);
    }

    private PairPlace placeOf(String key) {
        PairPlace place = new PairPlace();
        locate(key, place);
        return place;
    }

    private void locate(String key, PairPlace place) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        packing.locate(bytes, 0, bytes.length, place).ifPresent(why -> {
            throw new IllegalArgumentException("a key has no place among packed pairs: " + why + ", bytes="
                    + bytes.length + ", packing=" + packing + ". Ask for keys that the packing is made for.");
        });
    }

    /** The keys of one hash, or some of them, and their fields in the same order. */
    private static final class Part {

        private final byte[] hash;
        private final List<String> keys = new ArrayList<>();
        private final List<byte[]> fields = new ArrayList<>();

        Part(byte[] hash) {
            this.hash = hash;
        }

        byte[][] fields() {
            return fields.toArray(byte[][]::new);
        }
    }

    private List<Part> byHash(Collection<String> keys) {
        List<Part> parts = new ArrayList<>();
        Map<String, Part> open = new HashMap<>();
        PairPlace place = new PairPlace();
        for (String key : keys) {
            locate(key, place);
            // Names of hashes are text, because keys are.
            String name = new String(place.bytes(), 0, place.hashLength(), StandardCharsets.UTF_8);
            Part part = open.get(name);
            if (part == null || part.keys.size() == FIELDS_AT_ONCE) {
                part = new Part(place.hash());
                open.put(name, part);
                parts.add(part);
            }
            part.keys.add(key);
            part.fields.add(place.field());
        }
        return parts;
    }

    private Command<Long> set(Part some, Map<String, V> pairs) {
        List<Object> arguments = new ArrayList<>(1 + 2 * some.keys.size());
        arguments.add(some.hash);
        for (int i = 0; i < some.keys.size(); i++) {
            V value = Objects.requireNonNull(pairs.get(some.keys.get(i)), "value");
            arguments.add(some.fields.get(i));
            arguments.add(codec.encode().apply(value));
        }
        return Command.of(Hashes.HSET, arguments.toArray());
    }

    private interface Taker<T> {
        void take(Part part, T value);
    }

    private <T> void run(List<Part> parts, Function<Part, Command<T>> command, Taker<T> taker) {
        for (int from = 0; from < parts.size(); from += COMMANDS_AT_ONCE) {
            List<Part> some = parts.subList(from, Math.min(from + COMMANDS_AT_ONCE, parts.size()));
            Pipeline pipeline = client.pipeline();
            List<Result<T>> results =
                    some.stream().map(part -> pipeline.add(command.apply(part))).toList();
            pipeline.run();
            for (int i = 0; i < some.size(); i++) {
                taker.take(some.get(i), results.get(i).value());
            }
        }
    }
}
