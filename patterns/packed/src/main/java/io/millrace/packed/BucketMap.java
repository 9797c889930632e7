// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.BucketLayout;
import io.millrace.client.BucketLocation;
import io.millrace.client.Codec;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
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
 * A map of text keys to small values, stored in buckets: Redis hashes with many fields. Each pair has a text key and a
 * value. A program without buckets would store the pair as a Redis string with this key. The {@link BucketLayout}
 * determines the bucket and the field of each key, for all writers and readers.
 *
 * <p>Thread-safe. Each command and each pipeline blocks for at most the command timeout of the client, and throws a {@link
 * io.millrace.client.exception.RedisException} on failure. The first write needs one command more. A key that the layout
 * cannot map to a bucket causes an {@link IllegalArgumentException}. Pairs have no expiry.
 *
 * <p>Methods on many keys send pipelines. Each command reads, writes or deletes up to 256 fields of one bucket. These
 * methods are not transactions. A pipeline has up to 10,000 commands. If a command fails, the server still executes the
 * other commands of the same pipeline. After this pipeline, the method throws the exception and sends no further
 * pipeline.
 *
 * @param <V> the type of the values
 */
public final class BucketMap<V> {

    /**
     * Maximum number of fields of one command. The server searches a compact bucket linearly for each field, so a
     * longer command would block other clients.
     */
    private static final int FIELDS_PER_COMMAND = 256;

    /** Maximum number of commands of one pipeline. The limit bounds the memory for the replies. */
    private static final int COMMANDS_PER_PIPELINE = 10_000;

    private final RedisClient client;
    private final BucketLayout bucketLayout;
    private final Codec<V> codec;
    private final CompactLimit compactLimit;

    private BucketMap(RedisClient client, BucketLayout bucketLayout, Codec<V> codec, BucketMapOptions options) {
        this.client = client;
        this.bucketLayout = bucketLayout;
        this.codec = codec;
        this.compactLimit = new CompactLimit(client, bucketLayout, options);
    }

    /** Returns a map with the default options. See {@link #of(RedisClient, BucketLayout, Codec, BucketMapOptions)}. */
    public static <V> BucketMap<V> of(RedisClient client, BucketLayout bucketLayout, Codec<V> codec) {
        return of(client, bucketLayout, codec, BucketMapOptions.DEFAULT);
    }

    /**
     * Returns a map that stores its pairs in the buckets of {@code bucketLayout}. Does not access Redis. If {@code
     * codec} throws an exception, the called method of the map throws this exception.
     *
     * <p>The first write reads the server's limits for compact hashes. If a bucket of the layout may have more pairs than
     * {@code hash-max-listpack-entries}, the write throws a {@link BucketLimitException}; if the options permit such
     * buckets, the map logs one warning and writes. If the server does not report the limit, for example because the user
     * has no permission for {@code CONFIG}, the map logs one warning and writes.
     *
     * <p>If a field or a value has more bytes than {@code hash-max-listpack-value}, by default 64, its whole bucket
     * becomes a table and stays a table. The map writes and counts such pairs ({@link #longPairs}), and logs one warning to
     * {@code io.millrace.packed}.
     */
    public static <V> BucketMap<V> of(
            RedisClient client, BucketLayout bucketLayout, Codec<V> codec, BucketMapOptions options) {
        return new BucketMap<>(client, bucketLayout, codec, options);
    }

    /** Returns the value of {@code key}; empty if there is no value. */
    public Optional<V> get(String key) {
        BucketLocation location = locationOf(key);
        return client.call(Hashes.get(location.bucket(), location.field())).map(codec::decode);
    }

    /** Returns the values of the {@code keys} that have a value, in undefined order. A duplicate key is read once. */
    public Map<String, V> getAll(Collection<String> keys) {
        Map<String, V> found = HashMap.newHashMap(keys.size());
        run(byBucket(Set.copyOf(keys)), part -> Hashes.getEach(part.hash, part.fields()), (part, values) -> {
            for (int i = 0; i < values.size(); i++) {
                String key = part.keys.get(i);
                values.get(i).ifPresent(bytes -> found.put(key, codec.decode(bytes)));
            }
        });
        return found;
    }

    /** Sets the value of {@code key}, and replaces an existing value. */
    public void put(String key, V value) {
        BucketLocation location = locationOf(key);
        byte[] encoded = codec.encode(value);
        byte[] field = location.field();
        compactLimit.check();
        compactLimit.checkLength(field, encoded);
        client.call(Hashes.set(location.bucket(), field, encoded));
    }

    /**
     * Sets the values of all {@code pairs}, and replaces existing values.
     *
     * @param pairs each key with its value, none of them null
     */
    public void putAll(Map<String, V> pairs) {
        List<BucketPart> parts = byBucket(pairs.keySet());
        if (!parts.isEmpty()) {
            compactLimit.check();
        }
        run(parts, part -> set(part, pairs), (part, added) -> {});
    }

    /** Removes the value of {@code key}. Returns whether there was a value. */
    public boolean remove(String key) {
        BucketLocation location = locationOf(key);
        return client.call(Hashes.delete(location.bucket(), location.field())) == 1;
    }

    /** Removes the values of all {@code keys}. Returns the number of removed values. */
    public long removeAll(Collection<String> keys) {
        long[] removed = {0};
        run(
                byBucket(Set.copyOf(keys)),
                part -> Hashes.delete(part.hash, part.fields()),
                (part, count) -> removed[0] += count);
        return removed[0];
    }

    /**
     * Measures the server memory of the pairs. If there are more than {@code sampleSize} buckets, the method measures a
     * random sample of {@code sampleSize} buckets. Otherwise the method measures all buckets. To find the buckets, the
     * method scans the whole database with many short {@code SCAN} commands.
     *
     * @param sampleSize 1 to 1,000,000; a few hundred suffice if the buckets are similar
     */
    public BucketMemory memory(int sampleSize) {
        return new BucketMemorySampler(client, bucketLayout).sample(sampleSize);
    }

    /**
     * Returns the number of pairs that this map has written with a field or a value above the server's limit for compact
     * hashes. 0 if the server does not report the limit.
     */
    public long longPairs() {
        return compactLimit.longPairs();
    }

    private BucketLocation locationOf(String key) {
        BucketLocation location = new BucketLocation();
        locate(key, location);
        return location;
    }

    private void locate(String key, BucketLocation location) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        bucketLayout.locate(bytes, 0, bytes.length, location).ifPresent(reason -> {
            throw new IllegalArgumentException("a key cannot be mapped to a bucket: " + reason + ", bytes="
                    + bytes.length + ", layout=" + bucketLayout + ". Use keys that match the layout.");
        });
    }

    /** The keys of one bucket for one command, and the fields of these keys in the same order. */
    private static final class BucketPart {

        private final byte[] hash;
        private final List<String> keys = new ArrayList<>();
        private final List<byte[]> fields = new ArrayList<>();

        BucketPart(byte[] hash) {
            this.hash = hash;
        }

        byte[][] fields() {
            return fields.toArray(byte[][]::new);
        }
    }

    private List<BucketPart> byBucket(Collection<String> keys) {
        List<BucketPart> parts = new ArrayList<>();
        Map<String, BucketPart> open = new HashMap<>();
        BucketLocation location = new BucketLocation();
        for (String key : keys) {
            locate(key, location);
            // A bucket name is valid UTF-8, because it is derived from a text key.
            String name = new String(location.bytes(), 0, location.bucketLength(), StandardCharsets.UTF_8);
            BucketPart part = open.get(name);
            if (part == null || part.keys.size() == FIELDS_PER_COMMAND) {
                part = new BucketPart(location.bucket());
                open.put(name, part);
                parts.add(part);
            }
            part.keys.add(key);
            part.fields.add(location.field());
        }
        return parts;
    }

    private Command<Long> set(BucketPart part, Map<String, V> pairs) {
        List<Object> arguments = new ArrayList<>(1 + 2 * part.keys.size());
        arguments.add(part.hash);
        for (int i = 0; i < part.keys.size(); i++) {
            V value = Objects.requireNonNull(pairs.get(part.keys.get(i)), "value");
            byte[] field = part.fields.get(i);
            byte[] encoded = codec.encode(value);
            compactLimit.checkLength(field, encoded);
            arguments.add(field);
            arguments.add(encoded);
        }
        return Command.of(Hashes.HSET, arguments.toArray());
    }

    private interface ReplyHandler<T> {
        void accept(BucketPart part, T value);
    }

    private <T> void run(List<BucketPart> parts, Function<BucketPart, Command<T>> command, ReplyHandler<T> handler) {
        for (int from = 0; from < parts.size(); from += COMMANDS_PER_PIPELINE) {
            List<BucketPart> batch = parts.subList(from, Math.min(from + COMMANDS_PER_PIPELINE, parts.size()));
            Pipeline pipeline = client.pipeline();
            List<Result<T>> results = batch.stream()
                    .map(part -> pipeline.add(command.apply(part)))
                    .toList();
            pipeline.run();
            for (int i = 0; i < batch.size(); i++) {
                handler.accept(batch.get(i), results.get(i).value());
            }
        }
    }
}
