// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.millrace.client.BulkWriter;
import io.millrace.client.command.Hashes;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/**
 * One hash of five fields for each row. The rows have the fields of {@link RowData}, and repeat after {@value #DISTINCT} rows.
 * The rows are made before the measurement, because only the clients are measured.
 */
record HashRows(long operations) implements PipelinedData {

    /** A prime number, so that neighbours of a row in no power of two have the same fields. */
    private static final int DISTINCT = 997;

    private static final String KEY = Keyspace.PREFIX + "row:";
    private static final int KEY_DIGITS = 9;

    static String key(long n) {
        String digits = Long.toString(n);
        return KEY + "0".repeat(KEY_DIGITS - digits.length()) + digits;
    }

    private static Map<String, String> fields(long n) {
        return RowData.fields(n % DISTINCT);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String command() {
        return "HSET";
    }

    @Override
    public Stream<List<String>> words() {
        return LongStream.range(0, operations).mapToObj(n -> {
            var words = new ArrayList<>(List.of(command(), key(n)));
            fields(n).forEach((name, value) -> words.addAll(List.of(name, value)));
            return words;
        });
    }

    @Override
    public void write(BulkWriter writer) {
        byte[] key = bytes(key(0));
        for (long n = 0; n < operations; n++) {
            writer.begin(Hashes.HSET).arg(key);
            for (byte[] word : Fields.WORDS[(int) (n % DISTINCT)]) {
                writer.arg(word);
            }
            writer.end(n);
            StringData.increment(key);
        }
    }

    @Override
    public Walk walk() {
        return new HashWalk();
    }

    @Override
    public ServerUse server() {
        return ServerUse.checkedBy(new DataCheck<>(
                operations, operations, "hset", "hset", HashRows::key, Pipeline::hgetAll, HashRows::fields));
    }

    /** The distinct rows, made when a contender uses them first. */
    private static final class Fields {

        /** Names and values in turn. */
        static final byte[][][] WORDS = IntStream.range(0, DISTINCT)
                .mapToObj(n -> fields(n).entrySet().stream()
                        .flatMap(field -> Stream.of(bytes(field.getKey()), bytes(field.getValue())))
                        .toArray(byte[][]::new))
                .toArray(byte[][][]::new);

        static final List<Map<byte[], byte[]>> MAPS =
                Stream.of(WORDS).map(Fields::map).toList();

        /** Jedis and Lettuce only go through the map. */
        @SuppressWarnings("ArrayAsKeyOfSetOrMap")
        private static Map<byte[], byte[]> map(byte[][] words) {
            Map<byte[], byte[]> map = new LinkedHashMap<>();
            for (int i = 0; i < words.length; i += 2) {
                map.put(words[i], words[i + 1]);
            }
            return map;
        }
    }

    private static final class HashWalk implements Walk {

        private final byte[] key = bytes(key(0));
        private int row;

        private Map<byte[], byte[]> nextRow() {
            int current = row;
            row = row == DISTINCT - 1 ? 0 : row + 1;
            return Fields.MAPS.get(current);
        }

        /** Jedis encodes at once, so the key can be changed afterwards. */
        @Override
        public Response<?> addTo(AbstractPipeline pipeline) {
            var response = pipeline.hset(key, nextRow());
            StringData.increment(key);
            return response;
        }

        /** Lettuce encodes later. */
        @Override
        public RedisFuture<?> send(RedisClusterAsyncCommands<byte[], byte[]> async) {
            var future = async.hset(key.clone(), nextRow());
            StringData.increment(key);
            return future;
        }
    }
}
