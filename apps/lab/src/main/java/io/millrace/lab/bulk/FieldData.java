// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkWriter;
import io.millrace.client.command.Hashes;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Pipeline;

/** {@code HSET} of one field each; {@value #FIELDS} adjacent commands for each hash. */
record FieldData(long hashes) implements BulkData {

    private static final int FIELDS = 10;

    private static final byte[][] NAMES =
            IntStream.range(0, FIELDS).mapToObj(i -> bytes(field(i))).toArray(byte[][]::new);

    static FieldData ofCommands(long commands) {
        return new FieldData(Math.max(1, commands / FIELDS));
    }

    private static String hash(long n) {
        return String.format(Locale.ROOT, Keyspace.PREFIX + "hash:%09d", n);
    }

    private static String field(int n) {
        return "field:" + n;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public long operations() {
        return hashes * FIELDS;
    }

    @Override
    public void write(BulkWriter writer) {
        var key = bytes(hash(0));
        var value = bytes(StringData.value(0));
        for (long n = 0; n < operations(); n++) {
            writer.begin(Hashes.HSET)
                    .arg(key)
                    .arg(NAMES[(int) (n % FIELDS)])
                    .arg(value)
                    .end(n);
            StringData.increment(value);
            if (n % FIELDS == FIELDS - 1) {
                StringData.increment(key);
            }
        }
    }

    @Override
    public ServerUse server() {
        return ServerUse.checkedBy(new DataCheck<>(
                operations(), hashes, "hset", "hset", FieldData::hash, Pipeline::hgetAll, FieldData::fields));
    }

    private static Map<String, String> fields(long hash) {
        Function<Integer, String> value = i -> StringData.value(hash * FIELDS + i);
        return IntStream.range(0, FIELDS).boxed().collect(Collectors.toMap(FieldData::field, value));
    }
}
