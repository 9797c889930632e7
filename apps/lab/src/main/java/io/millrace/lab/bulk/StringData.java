// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.millrace.client.BulkWriter;
import io.millrace.client.command.Strings;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** Small strings: {@code SET millrace-lab:key:000000042 value:0000000042}. */
public record StringData(long operations) implements PipelinedData {

    /** The key of a row of {@link #writeCsv}. */
    static final String KEY_TEMPLATE = Keyspace.PREFIX + "key:{id}";

    private static final String KEY = Keyspace.PREFIX + "key:";
    private static final int KEY_DIGITS = 9;
    private static final String VALUE = "value:";
    private static final int VALUE_DIGITS = 10;

    static String key(long n) {
        return KEY + digits(n, KEY_DIGITS);
    }

    static String value(long n) {
        return VALUE + digits(n, VALUE_DIGITS);
    }

    private static String digits(long n, int width) {
        var digits = Long.toString(n);
        return "0".repeat(width - digits.length()) + digits;
    }

    /** The words of each {@code SET}. */
    public Stream<List<String>> sets() {
        return LongStream.range(0, operations).mapToObj(n -> List.of("SET", key(n), value(n)));
    }

    /** Writes a CSV file with the columns id and value, and returns {@code file}. */
    Path writeCsv(Path file) {
        try (var out = Files.newBufferedWriter(file)) {
            out.write("id,value\n");
            for (long n = 0; n < operations; n++) {
                out.write(digits(n, KEY_DIGITS) + "," + value(n) + "\n");
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the pairs: file=" + file, e);
        }
    }

    /** The words of each {@code MSET} of at most {@code pairs} pairs. */
    Stream<List<String>> msets(int pairs) {
        return LongStream.iterate(0, from -> from < operations, from -> from + pairs)
                .mapToObj(from -> {
                    var words = new ArrayList<>(List.of("MSET"));
                    for (long n = from; n < Math.min(from + pairs, operations); n++) {
                        words.add(key(n));
                        words.add(value(n));
                    }
                    return words;
                });
    }

    @Override
    public String command() {
        return "SET";
    }

    @Override
    public Stream<List<String>> words() {
        return sets();
    }

    @Override
    public Walk walk() {
        return new Cursor();
    }

    @Override
    public void write(BulkWriter writer) {
        var pairs = new Cursor();
        for (long n = 0; n < operations; n++) {
            writer.begin(Strings.SET).arg(pairs.key).arg(pairs.value).end(n);
            pairs.next();
        }
    }

    @Override
    public ServerUse server() {
        return ServerUse.checkedBy(new DataCheck<>(
                operations, operations, "set", "mset", StringData::key, Pipeline::get, StringData::value));
    }

    /** Goes through the pairs as bytes that are changed in place, because the time to make them is measured. */
    static final class Cursor implements Walk {

        final byte[] key = StringData.key(0).getBytes(StandardCharsets.US_ASCII);
        final byte[] value = StringData.value(0).getBytes(StandardCharsets.US_ASCII);

        void next() {
            increment(key);
            increment(value);
        }

        /** Jedis encodes at once, so the bytes can be changed afterwards. */
        @Override
        public Response<?> addTo(AbstractPipeline pipeline) {
            var response = pipeline.set(key, value);
            next();
            return response;
        }

        /** Lettuce encodes later. */
        @Override
        public RedisFuture<?> send(RedisClusterAsyncCommands<byte[], byte[]> async) {
            var future = async.set(key.clone(), value.clone());
            next();
            return future;
        }
    }

    /** Adds one to the number at the end of {@code digits}, in place. */
    static void increment(byte[] digits) {
        int i = digits.length - 1;
        while (digits[i] == '9') {
            digits[i--] = '0';
        }
        digits[i]++;
    }
}
