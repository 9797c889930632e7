// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Starts commands at given times, whether or not earlier commands have ended, and measures the latency of each command.
 *
 * <p>Each command runs on a separate virtual thread. The latency is the time from the intended start of the command to
 * the reply. So a pause counts for all commands that should have started during the pause (no coordinated omission). The
 * lab starts commands some microseconds late; this delay is part of each latency, and a separate figure.
 *
 * @param commands sent in turn; the server holds their keys
 * @param load part of the capacity, used if {@code rate} is 0. The capacity is measured before the first round
 * @param rate commands per second; 0 to use {@code load}
 * @param time duration of a unit
 */
record OpenLoopWork(LibraryMode mode, Supplier<CommandList> commands, double load, long rate, Duration time)
        implements Work {

    /** Callers that wait for each reply while the capacity is measured; a pool has as many connections. */
    static final int CALLERS = 64;

    /**
     * Commands at the same time. GLIDE refuses a command if 1,000 are in flight, Vert.x if 2,048 are. With more commands,
     * the lab waits, and their latency counts from the intended start.
     */
    private static final int MAX_RUNNING = 900;

    /** Names of the figures, and the percentiles. */
    static final Map<String, Double> PERCENTILES =
            Map.of("p50Micros", 50.0, "p90Micros", 90.0, "p99Micros", 99.0, "p999Micros", 99.9, "p9999Micros", 99.99);

    static final String MAX = "maxMicros";
    static final String LATE_START = "lateStartP99Micros";
    static final String INTENDED = "intendedPerSecond";

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        ClientAdapter adapter = mode.mode().open(mode.mode().sizedFor(context.target(), CALLERS));
        Ready ready = new Ready(adapter, commands.get(), time);
        if (rate > 0) {
            ready.measureCapacity(); // warms up
            ready.rate = rate;
        } else {
            ready.measureCapacity();
            ready.rate = Math.max(1, load * ready.measureCapacity());
        }
        return ready;
    }

    private static final class Ready implements ReadyWork {

        private final ClientAdapter adapter;
        private final CommandList list;
        private final Duration time;
        private final FusedFigures fused;
        private final Recorder latencies = new Recorder(3);
        private final Recorder lateStarts = new Recorder(3);
        private final Semaphore running = new Semaphore(MAX_RUNNING);
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        private double rate;

        Ready(ClientAdapter adapter, CommandList list, Duration time) {
            this.adapter = adapter;
            this.list = list;
            this.time = time;
            this.fused = new FusedFigures(adapter);
        }

        /** Commands per second of callers that wait for each reply, during a fifth of the time of a unit. */
        private double measureCapacity() throws Exception {
            long nanos = time.dividedBy(5).toNanos();
            LongAdder done = new LongAdder();
            long start = System.nanoTime();
            ConcurrentCallers.run(ThreadKind.VIRTUAL, CALLERS, caller -> {
                for (int n = caller; System.nanoTime() - start < nanos; n += CALLERS) {
                    adapter.call(list.commands().get(n % list.size()));
                    done.increment();
                }
            });
            return done.sum() * 1e9 / (System.nanoTime() - start);
        }

        @Override
        public void prepare() {
            latencies.reset();
            lateStarts.reset();
            fused.begin();
        }

        @Override
        public long run() throws Exception {
            long total = Math.max(1, Math.round(rate * time.toNanos() / 1e9));
            long start = System.nanoTime();
            for (long n = 0; n < total; n++) {
                long intended = start + Math.round(n * 1e9 / rate);
                awaitTime(intended);
                running.acquire();
                int index = (int) (n % list.size());
                Thread.startVirtualThread(() -> call(index, intended));
            }
            running.acquire(MAX_RUNNING);
            running.release(MAX_RUNNING);
            Exception first = failure.get();
            if (first != null) {
                throw first;
            }
            return total;
        }

        private static void awaitTime(long nanoTime) throws InterruptedException {
            long left = nanoTime - System.nanoTime();
            while (left > 0) {
                LockSupport.parkNanos(left);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                left = nanoTime - System.nanoTime();
            }
        }

        private void call(int index, long intended) {
            try {
                lateStarts.recordValue(System.nanoTime() - intended);
                Object reply = adapter.call(list.commands().get(index));
                latencies.recordValue(System.nanoTime() - intended);
                list.check(index, reply);
            } catch (Exception e) {
                failure.compareAndSet(null, e);
            } finally {
                running.release();
            }
        }

        @Override
        public RoundDetails details() {
            Histogram histogram = latencies.getIntervalHistogram();
            RoundDetails details = fused.details()
                    .withFigure(MAX, histogram.getMaxValue() / 1e3)
                    .withFigure(INTENDED, rate)
                    .withFigure(LATE_START, lateStarts.getIntervalHistogram().getValueAtPercentile(99) / 1e3);
            for (Map.Entry<String, Double> percentile : PERCENTILES.entrySet()) {
                boolean isExact = histogram.getTotalCount() * (100 - percentile.getValue()) >= 100;
                if (isExact) { // at least one command is slower
                    double micros = histogram.getValueAtPercentile(percentile.getValue()) / 1e3;
                    details = details.withFigure(percentile.getKey(), micros);
                }
            }
            return details;
        }

        @Override
        public void close() throws Exception {
            adapter.close();
        }
    }
}
