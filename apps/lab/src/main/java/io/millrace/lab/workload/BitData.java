// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.client.BulkWriter;
import io.millrace.client.command.Bitmaps;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code SETBIT bits n 1} for one offset after the other. */
final class BitData implements BulkData {

    private static final String KEY = "bits";

    @Override
    public void write(BulkWriter writer, long operations) {
        var key = KEY.getBytes(StandardCharsets.US_ASCII);
        for (long n = 0; n < operations; n++) {
            writer.begin(Bitmaps.SETBIT).arg(key).arg(n).arg(1).end(n);
        }
    }

    @Override
    public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<>(fused.complaints(server, "setbit", "bitfield", operations));
        byte[] found = server.control().get(KEY.getBytes(StandardCharsets.US_ASCII));
        if (found == null || !Arrays.equals(expected(operations), found)) {
            complaints.add("bits: expected=" + operations + ", counted="
                    + server.control().bitcount(KEY));
        }
        return complaints;
    }

    /** The first is the most significant of the first byte. */
    private static byte[] expected(long bits) {
        var bytes = new byte[Math.toIntExact((bits + 7) / 8)];
        Arrays.fill(bytes, (byte) 0xff);
        bytes[bytes.length - 1] = (byte) (0xff << (7 - (bits + 7) % 8));
        return bytes;
    }
}
