// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Fusion;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.LettuceClients;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.LabException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

/** The libraries that store bits at {@link RandomBits#KEY} over one connection, one record each. */
final class BitClients {

    /** Commands in one pipeline, for libraries whose caller decides. */
    private static final int BATCH = 10_000;

    static final List<Library> ALL = List.of(
            new Library(
                    "jedis",
                    "setbit(); pipelined() and sync() every 10,000 commands, every Response read; the bits packed into"
                            + " a byte array, set()",
                    "https://redis.io/docs/latest/develop/clients/jedis/transpipe/",
                    target -> new JedisBits(Connections.jedis(target))),
            new Library(
                    "lettuce",
                    "sync().setbit(); async() with flushCommands() every 10,000 commands, every future read; the bits"
                            + " packed into a byte array, sync().set()",
                    "https://redis.github.io/lettuce/advanced-usage/#pipelining-and-command-flushing",
                    LettuceBits::open),
            new Library(
                    "millrace",
                    "call(); BulkWriter without fusion; Populations.store, which makes, packs and sends bits at the"
                            + " same time; otherwise default options",
                    "docs/bitmaps.md",
                    MillraceBits::open));

    /** A connection. Used by one thread. A method throws if the server answers an error. */
    interface BitClient extends AutoCloseable {

        /** {@code SETBIT}. Waits for the reply. */
        void call(long offset, boolean bit) throws Exception;

        /** {@code SETBIT} for each of the bits, in pipelines. Waits for all replies. */
        void pipeline(RandomBits.Packed bits) throws Exception;

        /** Makes the bits, packs the bits, and stores the bits. */
        void store(RandomBits bits) throws Exception;

        /** {@code BITCOUNT} of {@link RandomBits#KEY}. */
        long count() throws Exception;
    }

    /** A library. {@code settings} has the settings of calls, pipeline and packed bits. */
    record Library(String name, String settings, String documentation, Opener opener) {}

    /** Connects. */
    @FunctionalInterface
    interface Opener {
        BitClient open(Target target) throws Exception;
    }

    private record JedisBits(Jedis jedis) implements BitClient {

        @Override
        public void call(long offset, boolean bit) {
            jedis.setbit(RandomBits.KEY, offset, bit);
        }

        @Override
        public void pipeline(RandomBits.Packed bits) {
            for (long from = 0; from < bits.count(); from += BATCH) {
                var replies = new ArrayList<Response<Boolean>>(BATCH);
                try (var pipeline = jedis.pipelined()) {
                    for (long offset = from; offset < Math.min(from + BATCH, bits.count()); offset++) {
                        replies.add(pipeline.setbit(RandomBits.KEY, offset, bits.isSet(offset)));
                    }
                    pipeline.sync();
                }
                replies.forEach(reply -> reply.get());
            }
        }

        @Override
        public void store(RandomBits bits) {
            jedis.set(
                    RandomBits.KEY.getBytes(StandardCharsets.UTF_8),
                    bits.packed().bytes());
        }

        @Override
        public long count() {
            return jedis.bitcount(RandomBits.KEY);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    private record LettuceBits(RedisClient client, StatefulRedisConnection<String, byte[]> connection)
            implements BitClient {

        static BitClient open(Target target) {
            var client = RedisClient.create(LettuceClients.uri(target));
            client.setOptions(LettuceClients.options(target, Integer.MAX_VALUE));
            try {
                return new LettuceBits(
                        client, client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)));
            } catch (RuntimeException e) {
                client.shutdown();
                throw e;
            }
        }

        @Override
        public void call(long offset, boolean bit) {
            connection.sync().setbit(RandomBits.KEY, offset, bit ? 1 : 0);
        }

        @Override
        public void pipeline(RandomBits.Packed bits) throws Exception {
            connection.setAutoFlushCommands(false);
            var commands = connection.async();
            for (long from = 0; from < bits.count(); from += BATCH) {
                var replies = new ArrayList<RedisFuture<Long>>(BATCH);
                for (long offset = from; offset < Math.min(from + BATCH, bits.count()); offset++) {
                    replies.add(commands.setbit(RandomBits.KEY, offset, bits.isSet(offset) ? 1 : 0));
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
            connection.sync().set(RandomBits.KEY, bits.packed().bytes());
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

    private record MillraceBits(io.millrace.client.RedisClient client, BulkWriter writer) implements BitClient {

        static BitClient open(Target target) {
            var client = Connections.millrace(target);
            var options = BulkOptions.DEFAULT.withFusion(Fusion.NONE);
            return new MillraceBits(client, client.bulkWriter(options, (tag, command, outcome) -> {}));
        }

        @Override
        public void call(long offset, boolean bit) {
            var unused = client.call(Bitmaps.set(RandomBits.KEY, offset, bit));
        }

        @Override
        public void pipeline(RandomBits.Packed bits) {
            long before = writer.counts().ok();
            var name = RandomBits.KEY.getBytes(StandardCharsets.UTF_8);
            for (long offset = 0; offset < bits.count(); offset++) {
                writer.begin(Bitmaps.SETBIT)
                        .arg(name)
                        .arg(offset)
                        .arg(bits.isSet(offset) ? 1 : 0)
                        .end(offset);
            }
            writer.finish();
            if (writer.counts().ok() - before != bits.count()) {
                throw new LabException(
                        "not every SETBIT succeeded: expected=" + bits.count() + ", counts=" + writer.counts());
            }
        }

        @Override
        public void store(RandomBits bits) {
            var population = Populations.of(client, PopulationOptions.DEFAULT)
                    .store(RandomBits.NAME, bits.count(), bits.source());
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

    private BitClients() {}
}
