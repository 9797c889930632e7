// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.FlushingClient;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One library with one value of a setting. */
record TunePoint(Sweep sweep, ClientLibrary library, UsageMode mode, int value) implements Work {

    static final int PAYLOAD_BYTES = 16;

    private static final String KEY = Keyspace.PREFIX + "tune:";
    private static final int CHECKED_KEYS = 1_000;

    /** The value in tables. */
    String label() {
        return sweep == Sweep.FUSION ? mode.name() : Integer.toString(value);
    }

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Target target = context.target();
        ClientAdapter client = mode.open(
                switch (sweep) {
                    case CONNECTIONS -> target.withConnections(value);
                    // The work itself keeps the window. A client with the same limit would refuse some commands.
                    case IN_FLIGHT -> target.withInFlight(2 * value);
                    case BATCH, FUSION -> target;
                });
        var parameters = context.parameters();
        long usual = sweep.commands(value);
        int commands = Math.toIntExact(parameters.size().orElse(parameters.quick() ? usual / 10 : usual));
        return new Rounds(this, client, commands, parameters.payloadBytes(PAYLOAD_BYTES));
    }

    /** The number of the unit, the number of the key, and dots up to {@code bytes}. */
    private static String text(int unit, int number, int bytes) {
        String start = unit + ":" + number;
        return start + ".".repeat(Math.max(0, bytes - start.length()));
    }

    /** Compares the number of keys, and the values of up to 1,000 keys, with the last unit of the round. */
    static List<String> complaints(RedisServer server, Sample sample, int payloadBytes) {
        int expected = Math.toIntExact(sample.operations() / sample.units());
        List<String> complaints = new ArrayList<>();
        long keys = server.keys();
        if (keys != expected) {
            complaints.add("wrong number of keys: expected=" + expected + ", keys=" + keys);
        }
        int step = Math.max(1, expected / CHECKED_KEYS);
        List<Integer> numbers = IntStream.iterate(0, number -> number < expected, number -> number + step)
                .boxed()
                .toList();
        List<@Nullable String> values =
                server.values(numbers.stream().map(number -> KEY + number).toList());
        IntStream.range(0, numbers.size())
                .filter(i -> !text(sample.units(), numbers.get(i), payloadBytes).equals(values.get(i)))
                .mapToObj(i -> "wrong value: key=" + KEY + numbers.get(i) + ", unit=" + sample.units() + ", value="
                        + values.get(i))
                .findFirst()
                .ifPresent(complaints::add);
        return complaints;
    }

    /** Each unit sets each key once. The value names the unit, so the check finds a key that the last unit left out. */
    private static final class Rounds implements ReadyWork {

        private final TunePoint point;
        private final ClientAdapter client;
        private final int commands;
        private final int payloadBytes;
        private int unit;

        Rounds(TunePoint point, ClientAdapter client, int commands, int payloadBytes) {
            this.point = point;
            this.client = client;
            this.commands = commands;
            this.payloadBytes = payloadBytes;
        }

        @Override
        public void prepare() {
            unit = 0;
        }

        @Override
        public long run() throws Exception {
            unit++;
            switch (point.sweep) {
                case CONNECTIONS -> callAll();
                case IN_FLIGHT -> sendAll();
                case BATCH, FUSION -> runBatches(point.sweep.window(point.value));
            }
            return commands;
        }

        private Operation operation(int number) {
            return new Operation.Set(KEY + number, text(unit, number, payloadBytes));
        }

        private void callAll() throws Exception {
            List<Future<?>> results = new ArrayList<>();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int caller = 0; caller < Sweep.CALLERS; caller++) {
                    int first = caller;
                    results.add(threads.submit(() -> {
                        for (int number = first; number < commands; number += Sweep.CALLERS) {
                            client.call(operation(number));
                        }
                        return null;
                    }));
                }
            }
            for (Future<?> result : results) {
                result.get();
            }
        }

        private void sendAll() throws Exception {
            var window = new Semaphore(point.value);
            var failure = new AtomicReference<@Nullable Throwable>();
            for (int number = 0; number < commands; number++) {
                if (!window.tryAcquire()) {
                    flush();
                    window.acquire();
                }
                client.send(operation(number)).whenComplete((reply, error) -> {
                    failure.compareAndSet(null, error);
                    window.release();
                });
            }
            flush();
            window.acquire(point.value);
            if (failure.get() != null) {
                throw new ExecutionException(failure.get());
            }
        }

        private void flush() throws Exception {
            if (client instanceof FlushingClient flushing) {
                flushing.flush();
            }
        }

        private void runBatches(int length) throws Exception {
            for (int from = 0; from < commands; from += length) {
                var operations = IntStream.range(from, Math.min(commands, from + length))
                        .mapToObj(this::operation)
                        .toList();
                int replies = client.batch(operations).size();
                if (replies != operations.size()) {
                    throw new IllegalStateException("a batch has the wrong number of replies: expected="
                            + operations.size() + ", replies=" + replies);
                }
            }
        }

        @Override
        public void close() throws Exception {
            client.close();
        }
    }
}
