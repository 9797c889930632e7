// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Fusion;
import io.millrace.lab.run.Outcomes;
import java.nio.charset.StandardCharsets;

/** Bits by Millrace's bulk writer: what packing them is held against. */
record MillraceBits(RedisClient client, BulkWriter writer) implements BitByBit {

    static final Source SOURCE =
            new Source("millrace", "BulkWriter, not fused, otherwise default options", MillraceBits::open);

    private static BitByBit open(Endpoint endpoint) {
        var client = RedisClient.connect(MillraceConnections.builder(endpoint).build());
        return new MillraceBits(
                client, client.bulkWriter(BulkOptions.DEFAULT.withFusion(Fusion.NONE), (tag, command, outcome) -> {}));
    }

    @Override
    public Outcomes set(String key, byte[] bits, long count) {
        var before = outcomes(writer.counts());
        var name = key.getBytes(StandardCharsets.UTF_8);
        for (long offset = 0; offset < count; offset++) {
            writer.begin(Bitmaps.SETBIT)
                    .arg(name)
                    .arg(offset)
                    .arg(BitByBit.isSet(bits, offset) ? 1 : 0)
                    .end(offset);
        }
        writer.finish();
        return outcomes(writer.counts()).minus(before);
    }

    private static Outcomes outcomes(CommandCounts counts) {
        return new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost());
    }

    @Override
    public long count(String key) {
        return client.call(Bitmaps.count(key));
    }

    @Override
    public void close() {
        writer.close();
        client.close();
    }
}
