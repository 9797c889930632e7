// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Fusion;
import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Task;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Ways in which Millrace sends for a time, each with one setting that can be changed. */
enum Sender {
    BULK_IN_FLIGHT {
        @Override
        Open open(Task task, long value) {
            return new Bulk(client(task, 1), 1, (int) value, Fusion.ALL_EXACT);
        }
    },
    BULK_CONNECTIONS {
        @Override
        Open open(Task task, long value) {
            return new Bulk(client(task, 1), (int) value, heldInFlight(task), Fusion.ALL_EXACT);
        }
    },
    BULK_FUSION {
        @Override
        Open open(Task task, long value) {
            return new Bulk(client(task, 1), 1, heldInFlight(task), value == 0 ? Fusion.NONE : Fusion.ALL_EXACT);
        }
    },
    PIPELINE {
        @Override
        Open open(Task task, long value) {
            return new Pipelines(client(task, 1), (int) value);
        }
    },
    SHARED_CONNECTIONS {
        @Override
        Open open(Task task, long value) {
            return new Shared(client(task, (int) value));
        }
    };

    /** Keys that are set in turn, by each sender. */
    static final int KEYS = 10_000;

    static final int CALLERS = 64;

    private static final List<Pair> PAIRS = Pairs.first(KEYS);
    private static final int LOOK_AT_CLOCK_EVERY = 64;

    /**
     * What went out in a round.
     *
     * @param keys that were set at least once
     */
    record Sent(long commands, long keys) {

        /** By one that takes the keys in turn. */
        static Sent inTurn(long commands) {
            return new Sent(commands, Math.min(commands, KEYS));
        }
    }

    /** A sender that is connected and has one value of its setting. */
    interface Open extends AutoCloseable {

        /** Sends, and returns what was sent when each command has been answered well. */
        Sent sendFor(Duration time) throws Exception;

        @Override
        void close();
    }

    /** Connects for {@code task} with {@code value} of the setting. */
    abstract Open open(Task task, long value);

    private static int heldInFlight(Task task) {
        return Integer.parseInt(task.input(SweepPoint.HELD_IN_FLIGHT));
    }

    private static RedisClient client(Task task, int connections) {
        return RedisClient.connect(MillraceConnections.builder(task.endpoint())
                .connections(connections)
                .commandTimeout(BulkOptions.DEFAULT.timeout())
                .build());
    }

    /** One writer and one thread for each connection. */
    private static final class Bulk implements Open {

        private final RedisClient client;
        private final List<BulkWriter> writers;

        Bulk(RedisClient client, int connections, int inFlight, Set<Fusion> fusion) {
            this.client = client;
            var options = new BulkOptions(
                    inFlight, BulkOptions.DEFAULT.inFlightBytes(), BulkOptions.DEFAULT.timeout(), fusion);
            this.writers = IntStream.range(0, connections)
                    .mapToObj(i -> client.bulkWriter(options, (tag, command, outcome) -> {}))
                    .toList();
        }

        /** Each writer has a slice of the keys, all of them the same size. */
        @Override
        public Sent sendFor(Duration time) throws Exception {
            int slice = KEYS / writers.size();
            var sent = new AtomicLong();
            var keys = new AtomicLong();
            long before = ok();
            Callers.PLATFORM.run(writers.size(), caller -> {
                long mine = send(writers.get(caller), caller * slice, slice, time);
                sent.addAndGet(mine);
                keys.addAndGet(Math.min(mine, slice));
            });
            long ok = ok() - before;
            if (ok != sent.get()) {
                throw new LabException("not every command succeeded: sent=" + sent + ", ok=" + ok);
            }
            return new Sent(ok, keys.get());
        }

        private long ok() {
            return writers.stream().mapToLong(writer -> writer.counts().ok()).sum();
        }

        private static long send(BulkWriter writer, int first, int slice, Duration time) {
            long start = System.nanoTime();
            long n = 0;
            while (n % LOOK_AT_CLOCK_EVERY != 0 || System.nanoTime() - start < time.toNanos()) {
                var pair = PAIRS.get(first + (int) (n % slice));
                writer.begin(io.millrace.client.command.Strings.SET)
                        .arg(pair.key())
                        .arg(pair.value());
                writer.end(n);
                n++;
            }
            writer.finish();
            return n;
        }

        @Override
        public void close() {
            writers.forEach(BulkWriter::close);
            client.close();
        }
    }

    /** One thread that runs a pipeline, waits for it, and runs the next. */
    private record Pipelines(RedisClient client, int length) implements Open {

        @Override
        public Sent sendFor(Duration time) {
            long start = System.nanoTime();
            long n = 0;
            while (System.nanoTime() - start < time.toNanos()) {
                var pipeline = client.pipeline();
                for (int i = 0; i < length; i++) {
                    var pair = PAIRS.get((int) (n++ % KEYS));
                    pipeline.add(io.millrace.client.command.Strings.set(pair.key(), pair.value()));
                }
                pipeline.run().forEach(Result::value);
            }
            return Sent.inTurn(n);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** Many virtual threads that each call and wait. */
    private record Shared(RedisClient client) implements Open {

        @Override
        public Sent sendFor(Duration time) throws Exception {
            var next = new AtomicLong();
            long start = System.nanoTime();
            Callers.VIRTUAL.run(CALLERS, caller -> {
                while (System.nanoTime() - start < time.toNanos()) {
                    var pair = PAIRS.get((int) (next.getAndIncrement() % KEYS));
                    client.call(io.millrace.client.command.Strings.set(pair.key(), pair.value()));
                }
            });
            return Sent.inTurn(next.get());
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
