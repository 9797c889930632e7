// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.FlushingClient;
import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Each unit sets each key once. The value names the unit, so the check finds a key that the last unit left out. */
final class TuneRounds implements ReadyWork {

    private static final String KEY = Keyspace.PREFIX + "tune:";
    private static final int CHECKED_KEYS = 1_000;

    private final TunePoint point;
    private final ClientAdapter client;
    private final int commands;
    private final int payloadBytes;
    private int unit;

    TuneRounds(TunePoint point, ClientAdapter client, int commands, int payloadBytes) {
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
        switch (point.sweep()) {
            case CONNECTIONS -> callAll();
            case IN_FLIGHT -> sendAll();
            case BATCH -> runBatches(point.value());
            case MODE -> runBatches(Sweep.MODE_BATCH);
        }
        return commands;
    }

    private Operation.Set operation(int number) {
        return new Operation.Set(KEY + number, value(unit, number, payloadBytes));
    }

    /** The number of the unit, the number of the key, and dots up to {@code bytes}. */
    private static String value(int unit, int number, int bytes) {
        String start = unit + ":" + number;
        return start + ".".repeat(Math.max(0, bytes - start.length()));
    }

    private void callAll() throws Exception {
        int callers = Math.min(Sweep.CALLERS, commands);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                int first = caller;
                results.add(threads.submit(() -> {
                    for (int number = first; number < commands; number += callers) {
                        client.call(operation(number));
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
    }

    private void sendAll() throws Exception {
        var window = new Semaphore(point.value());
        var failure = new AtomicReference<@Nullable Throwable>();
        for (int number = 0; number < commands; number++) {
            if (!window.tryAcquire()) {
                flush();
                window.acquire();
            }
            client.send(operation(number)).whenComplete((reply, error) -> {
                if (error != null) {
                    failure.compareAndSet(null, error);
                }
                window.release();
            });
        }
        flush();
        window.acquire(point.value());
        Throwable first = failure.get();
        if (first != null) {
            throw new ExecutionException(first instanceof CompletionException ? first.getCause() : first);
        }
    }

    private void flush() throws Exception {
        if (client instanceof FlushingClient flushing) {
            flushing.flush();
        }
    }

    private void runBatches(int length) throws Exception {
        for (int from = 0; from < commands; from += length) {
            int to = Math.min(commands, from + length);
            List<Operation> operations = new ArrayList<>(to - from);
            for (int number = from; number < to; number++) {
                operations.add(operation(number));
            }
            int replies = client.batch(operations).size();
            if (replies != to - from) {
                throw new IllegalStateException(
                        "a batch has the wrong number of replies: expected=" + (to - from) + ", replies=" + replies);
            }
        }
    }

    @Override
    public void close() throws Exception {
        client.close();
    }

    /** Compares the number of keys, and the values of up to 1,000 keys, with the last unit of the round. */
    static List<String> complaints(RedisServer server, Sample sample, int payloadBytes) {
        long expected = sample.operations() / sample.units();
        List<String> complaints = new ArrayList<>();
        long keys = server.keys();
        if (keys != expected) {
            complaints.add("wrong number of keys: expected=" + expected + ", keys=" + keys);
        }
        long step = Math.max(1, expected / CHECKED_KEYS);
        List<Integer> numbers = IntStream.iterate(0, number -> number < expected, number -> (int) (number + step))
                .boxed()
                .toList();
        String[] names = numbers.stream().map(number -> KEY + number).toArray(String[]::new);
        List<String> values = server.target().cluster()
                ? Stream.of(names).map(name -> server.control(name).get(name)).toList()
                : server.control().mget(names);
        for (int i = 0; i < numbers.size(); i++) {
            String right = value(sample.units(), numbers.get(i), payloadBytes);
            if (!right.equals(values.get(i))) {
                complaints.add("wrong value: key=" + KEY + numbers.get(i) + ", expected=" + right + ", value="
                        + values.get(i));
                break;
            }
        }
        return complaints;
    }
}
