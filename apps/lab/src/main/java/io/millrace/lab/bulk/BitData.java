// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkWriter;
import io.millrace.client.command.Bitmaps;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code SETBIT millrace-lab:bits n 1} for one offset after the other. */
record BitData(long operations) implements BulkData {

    private static final byte[] KEY = (Keyspace.PREFIX + "bits").getBytes(StandardCharsets.US_ASCII);

    @Override
    public void write(BulkWriter writer) {
        for (long n = 0; n < operations; n++) {
            writer.begin(Bitmaps.SETBIT).arg(KEY).arg(n).arg(1).end(n);
        }
    }

    @Override
    public ServerUse server() {
        return ServerUse.checkedBy(this::complaints);
    }

    private List<String> complaints(RedisServer server, Sample sample) {
        var complaints = new ArrayList<>(
                FusedCalls.complaints(server, sample, "setbit", "bitfield", operations * sample.units()));
        if (!Arrays.equals(expected(), server.control(KEY).get(KEY))) {
            complaints.add("bits: expected=" + operations + ", counted="
                    + server.control(KEY).bitcount(KEY));
        }
        return complaints;
    }

    /** The first bit is the most significant bit of the first byte. */
    private byte[] expected() {
        var bytes = new byte[Math.toIntExact((operations + 7) / 8)];
        Arrays.fill(bytes, (byte) 0xff);
        bytes[bytes.length - 1] = (byte) (0xff << (7 - (operations + 7) % 8));
        return bytes;
    }
}
