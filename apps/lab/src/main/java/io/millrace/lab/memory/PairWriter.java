// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import io.millrace.client.BucketLayout;
import io.millrace.client.BucketLocation;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.Keyspace;
import java.nio.charset.StandardCharsets;

/** Writes pairs {@code id -> id}, one command for each, over a separate connection. Returns the number of successes. */
@FunctionalInterface
interface PairWriter {

    long write(Target target, PairLayout layout, long pairs);

    /** Millrace's bulk writer. */
    static long millrace(Target target, PairLayout layout, long pairs) {
        try (var client = Connections.millrace(target);
                var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            if (layout.isPacked()) {
                pack(writer, BucketLayout.byNumber(Keyspace.PREFIX, layout.pairsPerHash), pairs);
            } else {
                for (long id = 0; id < pairs; id++) {
                    writer.begin(Strings.SET).arg(Keyspace.PREFIX + id).arg(id).end(id);
                }
            }
            writer.finish();
            return writer.counts().ok();
        }
    }

    private static void pack(BulkWriter writer, BucketLayout buckets, long pairs) {
        var location = new BucketLocation();
        for (long id = 0; id < pairs; id++) {
            var key = (Keyspace.PREFIX + id).getBytes(StandardCharsets.US_ASCII);
            buckets.locate(key, 0, key.length, location).ifPresent(reason -> {
                throw new IllegalStateException("a key cannot be packed: " + reason);
            });
            writer.begin(Hashes.HSET)
                    .arg(location.bytes(), 0, location.bucketLength())
                    .arg(location.bytes(), location.bucketLength(), location.fieldLength())
                    .arg(id)
                    .end(id);
        }
    }

    /** A pipeline of Jedis. */
    static long jedis(Target target, PairLayout layout, long pairs) {
        try (var jedis = Connections.jedis(target);
                var pipeline = jedis.pipelined()) {
            for (long id = 0; id < pairs; id++) {
                if (layout.isPacked()) {
                    pipeline.hset(layout.hash(id), layout.field(id), Long.toString(id));
                } else {
                    pipeline.set(Keyspace.PREFIX + id, Long.toString(id));
                }
                if (id % 1_000 == 999) {
                    pipeline.sync();
                }
            }
            pipeline.sync();
        }
        return pairs;
    }
}
