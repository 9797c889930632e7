// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
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
 * the reply. So a pause counts for all commands that should have started during the pause (no coordinated omission).
 *
 * <p>Commands start late if all processors are busy. This delay is part of each latency, and a separate figure. Much of
 * the delay comes from the client, which needs the processors too, so the delay alone says nothing about the machine.
 * Before each round, the same starts without commands show the delay of the machine alone. A round in which this delay is
 * a large part of the 99th percentile says more about the machine than about the client: see {@link #validP99}. A command
 * that waits because too many commands of the client are running is not late: the client is slow.
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

    static final String P99 = "p99Micros";

    /** Names of the figures, and the percentiles. */
    static final Map<String, Double> PERCENTILES =
            Map.of("p50Micros", 50.0, "p90Micros", 90.0, P99, 99.0, "p999Micros", 99.9, "p9999Micros", 99.99);

    static final String MAX = "maxMicros";
    static final String LATE_START = "lateStartP99Micros";
    static final String LATE_WITHOUT_COMMANDS = "lateStartWithoutCommandsP99Micros";
    static final String INTENDED = "intendedPerSecond";
    static final String CAPACITY = "capacityPerSecond";

    /** The late start without commands must not be more than this part of the 99th percentile. */
    static final double MAX_LATE_PART = 0.2;

    /** A percentile of which fewer commands are slower depends on chance. */
    private static final int MIN_SLOWER = 10;

    /** How often the capacity is measured; only the last time counts, because the JIT compiler is at work before. */
    private static final int CAPACITY_RUNS = 3;

    /** The starts without commands before a round take this part of the time of the round. */
    static final int STARTS_PART = 10;

    /** Rounds of a fifth of the time at the rate of the round, which are not counted. */
    private static final int WARM_UPS = 2;

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        ClientAdapter adapter = mode.mode().open(mode.mode().sizedFor(context.target(), CALLERS));
        Ready ready = new Ready(adapter, commands.get(), time);
        ready.warmUp(rate, load);
        return ready;
    }

    /** The 99th percentile in microseconds; empty for a round in which the machine was too busy. */
    static OptionalDouble validP99(Sample sample) {
        Map<String, Double> figures = sample.details().figures();
        Double p99 = figures.get(P99);
        Double late = figures.get(LATE_WITHOUT_COMMANDS);
        return p99 == null || late == null || late > MAX_LATE_PART * p99
                ? OptionalDouble.empty()
                : OptionalDouble.of(p99);
    }

    /** Whether so many commands are slower than the percentile that the percentile does not depend on chance. */
    static boolean suffice(long commands, double percentile) {
        return Math.round(commands * (100 - percentile) / 100) >= MIN_SLOWER;
    }

    /** Runs on a new virtual thread for each start. {@code possible} is the earliest time at which the start was possible. */
    private interface Caller {
        void call(int index, long intended, long possible);
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
        private double capacity;
        private double lateWithoutCommands;

        /** Written between rounds by the thread that starts all others. */
        private boolean isChecked = true;

        Ready(ClientAdapter adapter, CommandList list, Duration time) {
            this.adapter = adapter;
            this.list = list;
            this.time = time;
            this.fused = new FusedFigures(adapter);
        }

        /** Measures the capacity, sets the rate, and runs rounds that are not counted. */
        void warmUp(long givenRate, double load) throws Exception {
            Duration fifth = time.dividedBy(5);
            for (int i = 0; i < CAPACITY_RUNS; i++) {
                capacity = measureCapacity(fifth);
            }
            rate = givenRate > 0 ? givenRate : Math.max(1, load * capacity);
            isChecked = false; // The server does not hold the keys yet.
            for (int i = 0; i < WARM_UPS; i++) {
                round(fifth, this::call);
            }
            isChecked = true;
        }

        /** Commands per second of callers that wait for each reply. */
        private double measureCapacity(Duration duration) throws Exception {
            LongAdder done = new LongAdder();
            long start = System.nanoTime();
            ConcurrentCallers.run(ThreadKind.VIRTUAL, CALLERS, caller -> {
                for (int n = caller; System.nanoTime() - start < duration.toNanos(); n += CALLERS) {
                    adapter.call(list.commands().get(n % list.size()));
                    done.increment();
                }
            });
            return done.sum() * 1e9 / (System.nanoTime() - start);
        }

        @Override
        public void prepare() throws Exception {
            lateStarts.reset();
            long unused = round(time.dividedBy(STARTS_PART), this::startOnly);
            lateWithoutCommands = lateMicros();
            latencies.reset();
            lateStarts.reset();
            fused.begin();
        }

        private double lateMicros() {
            return lateStarts.getIntervalHistogram().getValueAtPercentile(99) / 1e3;
        }

        @Override
        public long run() throws Exception {
            return round(time, this::call);
        }

        private long round(Duration duration, Caller caller) throws Exception {
            long total = Math.max(1, Math.round(rate * duration.toNanos() / 1e9));
            long start = System.nanoTime();
            long blockedUntil = start; // end of the last wait for a command of the client
            for (long n = 0; n < total; n++) {
                long intended = start + Math.round(n * 1e9 / rate);
                awaitTime(intended);
                if (!running.tryAcquire()) {
                    running.acquire();
                    blockedUntil = System.nanoTime();
                }
                int index = (int) (n % list.size());
                long possible = Math.max(intended, blockedUntil);
                Thread.startVirtualThread(() -> caller.call(index, intended, possible));
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

        private void startOnly(int index, long intended, long possible) {
            lateStarts.recordValue(Math.max(0, System.nanoTime() - possible));
            running.release();
        }

        private void call(int index, long intended, long possible) {
            try {
                lateStarts.recordValue(Math.max(0, System.nanoTime() - possible));
                Object reply = adapter.call(list.commands().get(index));
                latencies.recordValue(System.nanoTime() - intended);
                if (isChecked) {
                    list.check(index, reply);
                }
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
                    .withFigure(CAPACITY, capacity)
                    .withFigure(LATE_START, lateMicros())
                    .withFigure(LATE_WITHOUT_COMMANDS, lateWithoutCommands);
            for (Map.Entry<String, Double> percentile : PERCENTILES.entrySet()) {
                if (suffice(histogram.getTotalCount(), percentile.getValue())) {
                    double micros = histogram.getValueAtPercentile(percentile.getValue()) / 1e3;
                    details = details.withFigure(percentile.getKey(), micros);
                }
            }
            return lateWithoutCommands > MAX_LATE_PART * details.figures().getOrDefault(P99, 0.0)
                    ? details.withRemark(String.format(
                            Locale.ROOT,
                            "before a round, without commands, 1 %% of the starts were %,.0f us late or later, which is more"
                                    + " than a fifth of p99: the machine was too busy, so the round is not compared",
                            lateWithoutCommands))
                    : details;
        }

        @Override
        public void close() throws Exception {
            adapter.close();
        }
    }
}
