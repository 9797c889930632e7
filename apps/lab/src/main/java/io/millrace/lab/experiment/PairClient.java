// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.BucketLayout;
import io.millrace.client.BucketLocation;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import java.nio.charset.StandardCharsets;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Whose client writes the pairs, one command for each. */
enum PairClient {
    MILLRACE("millrace", "BulkWriter, buckets by BucketLayout") {
        @Override
        Outcomes write(Endpoint endpoint, Layout layout, long pairs) {
            try (var client = RedisClient.connect(
                            MillraceConnections.builder(endpoint).build());
                    var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
                if (layout.isPacked()) {
                    pack(writer, BucketLayout.byNumber(Keyspace.PREFIX, layout.pairsPerBucket()), pairs);
                } else {
                    for (long id = 0; id < pairs; id++) {
                        writer.begin(Strings.SET)
                                .arg(Keyspace.PREFIX + id)
                                .arg(id)
                                .end(id);
                    }
                }
                writer.finish();
                return outcomes(writer.counts());
            }
        }
    },
    JEDIS("jedis", "Pipeline, sync() every 1,000; places by its own division") {
        @Override
        Outcomes write(Endpoint endpoint, Layout layout, long pairs) {
            var config = DefaultJedisClientConfig.builder()
                    .user(endpoint.username().orElse(null))
                    .password(endpoint.password().orElse(null))
                    .database(endpoint.database())
                    .socketTimeoutMillis((int) Endpoint.REPLY_TIMEOUT.toMillis())
                    .build();
            try (var jedis = new Jedis(new HostAndPort(endpoint.host(), endpoint.port()), config);
                    var pipeline = jedis.pipelined()) {
                for (long id = 0; id < pairs; id++) {
                    if (layout.isPacked()) {
                        pipeline.hset(
                                StoredPairs.hash(layout, id),
                                Long.toString(id % layout.pairsPerBucket()),
                                Long.toString(id));
                    } else {
                        pipeline.set(Keyspace.PREFIX + id, Long.toString(id));
                    }
                    if (id % SYNC_EVERY == SYNC_EVERY - 1) {
                        pipeline.sync();
                    }
                }
                pipeline.sync();
            }
            return Outcomes.answered(pairs, 0);
        }
    };

    private static final int SYNC_EVERY = 1_000;

    private final String word;
    private final String note;

    PairClient(String word, String note) {
        this.word = word;
        this.note = note;
    }

    String word() {
        return word;
    }

    String note() {
        return note;
    }

    /** Writes {@code pairs} over a connection of its own; returns when all have been answered and the connection is closed. */
    abstract Outcomes write(Endpoint endpoint, Layout layout, long pairs);

    private static void pack(BulkWriter writer, BucketLayout bucketLayout, long pairs) {
        var location = new BucketLocation();
        for (long id = 0; id < pairs; id++) {
            var key = (Keyspace.PREFIX + id).getBytes(StandardCharsets.US_ASCII);
            bucketLayout.locate(key, 0, key.length, location).ifPresent(why -> {
                throw new IllegalStateException("a key cannot be packed: " + why);
            });
            writer.begin(Hashes.HSET)
                    .arg(location.bytes(), 0, location.bucketLength())
                    .arg(location.bytes(), location.bucketLength(), location.fieldLength())
                    .arg(id)
                    .end(id);
        }
    }

    private static Outcomes outcomes(CommandCounts counts) {
        return new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost());
    }
}
