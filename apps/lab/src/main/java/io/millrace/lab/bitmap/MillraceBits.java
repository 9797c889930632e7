// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Fusion;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.LabException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Millrace. {@code Populations} makes, packs and sends bits at the same time. */
record MillraceBits(RedisClient client, BulkWriter writer) implements BitClient {

    static final Library LIBRARY = new Library(
            "millrace",
            "docs/bitmaps.md",
            Map.of(
                    Mode.CALLS, "RedisClient.call() with default options",
                    Mode.PIPELINE, "BulkWriter, fuses nothing, otherwise default options",
                    Mode.PACKED, "Populations.store, Population.count, with default options"),
            MillraceBits::open);

    private static BitClient open(Target target) {
        var client = Connections.millrace(target);
        return new MillraceBits(
                client, client.bulkWriter(BulkOptions.DEFAULT.withFusion(Fusion.NONE), (tag, command, outcome) -> {}));
    }

    @Override
    public void call(byte[] packed, long count) {
        for (long offset = 0; offset < count; offset++) {
            var unused = client.call(Bitmaps.set(RandomBits.KEY, offset, RandomBits.isSet(packed, offset)));
        }
    }

    @Override
    public void pipeline(byte[] packed, long count) {
        long before = writer.counts().ok();
        var name = RandomBits.KEY.getBytes(StandardCharsets.UTF_8);
        for (long offset = 0; offset < count; offset++) {
            writer.begin(Bitmaps.SETBIT)
                    .arg(name)
                    .arg(offset)
                    .arg(RandomBits.isSet(packed, offset) ? 1 : 0)
                    .end(offset);
        }
        writer.finish();
        if (writer.counts().ok() - before != count) {
            throw new LabException("not every SETBIT succeeded: expected=" + count + ", counts=" + writer.counts());
        }
    }

    @Override
    public void store(RandomBits bits) {
        var population =
                Populations.of(client, PopulationOptions.DEFAULT).store(RandomBits.NAME, bits.count(), bits.source());
        if (population.ones() != population.count()) {
            throw new LabException(
                    "wrong number of set bits: made=" + population.ones() + ", counted=" + population.count());
        }
    }

    @Override
    public long count() {
        return client.call(Bitmaps.count(RandomBits.KEY));
    }

    @Override
    public void close() {
        writer.close();
        client.close();
    }
}
