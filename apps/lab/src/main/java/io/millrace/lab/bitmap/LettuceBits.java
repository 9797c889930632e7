// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.millrace.lab.client.LettuceClients;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Lettuce. */
record LettuceBits(RedisClient client, StatefulRedisConnection<String, byte[]> connection) implements BitClient {

    static final Library LIBRARY = new Library(
            "lettuce",
            "https://redis.github.io/lettuce/advanced-usage/#pipelining-and-command-flushing",
            Map.of(
                    Mode.CALLS, "sync().setbit()",
                    Mode.PIPELINE,
                            "async().setbit(), setAutoFlushCommands(false), flushCommands() every " + BATCH
                                    + " commands, every future read",
                    Mode.PACKED, "the bits packed into a byte array, sync().set()"),
            LettuceBits::open);

    private static BitClient open(Target target) {
        var client = RedisClient.create(LettuceClients.uri(target));
        client.setOptions(LettuceClients.options(target, Integer.MAX_VALUE));
        try {
            return new LettuceBits(client, client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)));
        } catch (RuntimeException e) {
            client.shutdown();
            throw e;
        }
    }

    @Override
    public void call(byte[] packed, long count) {
        var commands = connection.sync();
        for (long offset = 0; offset < count; offset++) {
            commands.setbit(RandomBits.KEY, offset, RandomBits.isSet(packed, offset) ? 1 : 0);
        }
    }

    @Override
    public void pipeline(byte[] packed, long count) throws Exception {
        connection.setAutoFlushCommands(false);
        var commands = connection.async();
        for (long from = 0; from < count; from += BATCH) {
            var replies = new ArrayList<RedisFuture<Long>>(BATCH);
            for (long offset = from; offset < Math.min(from + BATCH, count); offset++) {
                replies.add(commands.setbit(RandomBits.KEY, offset, RandomBits.isSet(packed, offset) ? 1 : 0));
            }
            connection.flushCommands();
            for (var reply : replies) {
                reply.get(Target.LONG_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        connection.setAutoFlushCommands(true);
    }

    @Override
    public void store(RandomBits bits) {
        connection.sync().set(RandomBits.KEY, bits.packed());
    }

    @Override
    public long count() {
        return connection.sync().bitcount(RandomBits.KEY);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Target.LONG_TIMEOUT);
    }
}
