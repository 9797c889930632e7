// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.RedisUri;
import io.millrace.client.Strings;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Calls at a steady rate, and how long they take.
 *
 * <p>Calls start by the clock, each on a thread of its own, and not when the one before has ended: a server that stands still
 * for a second delays a thousand calls of a thousand per second, not one. For the same reason a call's time counts from when
 * it was due, so what keeps this program from starting it in time is in it too.
 */
public final class SteadyRate {

    private static final String KEY = "example:steady";

    /**
     * What was measured.
     *
     * @param latencies in nanoseconds, of the calls that were answered
     * @param failed calls that were not, and so have no latency
     */
    record Measured(Histogram latencies, long failed) {}

    private SteadyRate() {}

    public static void main(String[] args) throws InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set(KEY, "value"));
            measure(client, 1_000, Duration.ofMillis(500)); // so that the second round runs compiled code
            Measured measured = measure(client, 1_000, Duration.ofSeconds(1));
            Histogram latencies = measured.latencies();
            System.out.println("calls: " + latencies.getTotalCount() + ", failed: " + measured.failed());
            for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
                System.out.printf(
                        "%5.1f %%: %,9.0f µs%n", percentile, latencies.getValueAtPercentile(percentile) / 1_000.0);
            }
            client.call(Keys.delete(KEY));
        }
    }

    /** Reads a key {@code perSecond} times a second. */
    static Measured measure(RedisClient client, int perSecond, Duration time) throws InterruptedException {
        // snippet: steady-rate
        Histogram latencies = new ConcurrentHistogram(3);
        LongAdder failed = new LongAdder();
        long calls = perSecond * time.toMillis() / 1_000;
        long start = System.nanoTime();
        // Its close() waits for all calls, which the deadline of each limits.
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (long call = 0; call < calls; call++) {
                long due = start + TimeUnit.SECONDS.toNanos(call) / perSecond;
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                callers.execute(() -> {
                    try {
                        client.call(Strings.get(KEY));
                        latencies.recordValue(System.nanoTime() - due);
                    } catch (RedisException e) {
                        failed.increment();
                    }
                });
            }
        }
        return new Measured(latencies, failed.sum());
        // end
    }
}
