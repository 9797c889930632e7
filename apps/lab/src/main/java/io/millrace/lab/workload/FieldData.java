// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.client.BulkWriter;
import io.millrace.client.command.Hashes;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** {@code HSET hash:000000042 field:3 value:0000000423}: {@value #FIELDS} adjacent ones for each hash. */
final class FieldData implements BulkData {

    private static final int FIELDS = 10;

    /** Hashes that are read back. */
    private static final int PROBES = 1_000;

    private static final byte[][] NAMES = IntStream.range(0, FIELDS)
            .mapToObj(FieldData::field)
            .map(FieldData::bytes)
            .toArray(byte[][]::new);

    private static String hash(long n) {
        return String.format(Locale.ROOT, "hash:%09d", n);
    }

    private static String field(int n) {
        return "field:" + n;
    }

    private static String value(long n) {
        return String.format(Locale.ROOT, "value:%010d", n);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whole hashes. */
    @Override
    public long operations(long asked) {
        return asked / FIELDS * FIELDS;
    }

    @Override
    public void write(BulkWriter writer, long operations) {
        var key = bytes(hash(0));
        var value = bytes(value(0));
        for (long n = 0; n < operations; n++) {
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
    public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<>(fused.complaints(server, "hset", "hset", operations));
        long hashes = server.control().dbSize();
        if (hashes != operations / FIELDS) {
            complaints.add("hashes: expected=" + operations / FIELDS + ", found=" + hashes);
        }
        long last = operations / FIELDS - 1;
        LongStream.range(0, PROBES)
                .map(i -> i * last / (PROBES - 1))
                .distinct()
                .filter(n -> !expected(n).equals(server.control().hgetAll(hash(n))))
                .limit(3)
                .forEach(n -> complaints.add(hash(n) + ": expected=" + expected(n) + ", found="
                        + server.control().hgetAll(hash(n))));
        return complaints;
    }

    private static Map<String, String> expected(long hash) {
        var fields = new TreeMap<String, String>();
        IntStream.range(0, FIELDS).forEach(i -> fields.put(field(i), value(hash * FIELDS + i)));
        return fields;
    }
}
