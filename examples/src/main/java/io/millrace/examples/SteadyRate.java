// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Measures the latency of calls at a steady rate.
 *
 * <p>Each call starts at a fixed time, its due time, on a separate thread. It does not wait for the previous call. So
 * at 1,000 calls per second, a server that stalls for a second delays a thousand calls, not one. The latency of a call
 * is measured from its due time. So if this program starts the call too late, the delay is part of the latency.
 */
public final class SteadyRate {

    private static final String KEY = "example:steady";

    /**
     * Result of a measurement.
     *
     * @param latencies latencies of successful calls, in nanoseconds
     * @param failed number of failed calls, which have no latency
     */
    record Measurement(Histogram latencies, long failed) {}

    private SteadyRate() {}

    public static void main(String[] args) throws InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set(KEY, "value"));
            measure(client, 1_000, Duration.ofMillis(500)); // warm-up: the second round runs compiled code
            Measurement measurement = measure(client, 1_000, Duration.ofSeconds(1));
            Histogram latencies = measurement.latencies();
            System.out.println("calls: " + latencies.getTotalCount() + ", failed: " + measurement.failed());
            for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
                System.out.printf(
                        Locale.ROOT,
                        "%5.1f %%: %,9.0f µs%n",
                        percentile,
                        latencies.getValueAtPercentile(percentile) / 1_000.0);
            }
            client.call(Keys.delete(KEY));
        }
    }

    /** Reads a key {@code perSecond} times per second. */
    static Measurement measure(RedisClient client, int perSecond, Duration time) throws InterruptedException {
        // snippet: steady-rate
        Histogram latencies = new ConcurrentHistogram(3);
        LongAdder failed = new LongAdder();
        long calls = perSecond * time.toMillis() / 1_000;
        long start = System.nanoTime();
        // close() waits for all calls; each call ends at its deadline at the latest.
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
        return new Measurement(latencies, failed.sum());
        // end
    }
}
