// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.client.CommandHistograms;
import io.millrace.client.CommandListener;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Calls {@link CommandHistograms} as the client does: once at the start and once at the end of each command. No command is
 * sent. One operation of JMH is both calls for one command. All threads share the histograms.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(MicroBenchmarks.FORKS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ListenerBenchmark {

    private static final long EQUAL_NANOS = 123_456;

    /** Number of prepared latencies, a power of two. */
    private static final int LATENCIES = 4096;

    private static final double LEAST_NANOS = 10_000;
    private static final double RATIO_OF_MOST_TO_LEAST = 1_000;

    /** The listener of all threads. */
    @State(Scope.Benchmark)
    public static class Listener {

        private final CommandListener histograms = new CommandHistograms();
    }

    /** The commands of one thread. Half of the prepared latencies are shorter than 316 µs. */
    @State(Scope.Thread)
    public static class Commands {

        private final EndedGet command = new EndedGet();
        private final long[] latencies = new SplittableRandom(1)
                .doubles(LATENCIES)
                .mapToLong(share -> (long) (LEAST_NANOS * Math.pow(RATIO_OF_MOST_TO_LEAST, share)))
                .toArray();
        private int position;

        private long nextLatency() {
            position = (position + 1) & (LATENCIES - 1);
            return latencies[position];
        }
    }

    /** Every command has the same latency, so the calls change few cache lines. */
    @Benchmark
    public void equalLatencies(Listener listener, Commands commands) {
        oneCommand(listener.histograms, commands.command, EQUAL_NANOS);
    }

    /** The latencies are between 10 µs and 10 ms, so the calls change many cache lines. */
    @Benchmark
    public void variedLatencies(Listener listener, Commands commands) {
        oneCommand(listener.histograms, commands.command, commands.nextLatency());
    }

    private static void oneCommand(CommandListener listener, EndedGet command, long nanos) {
        Object context = listener.submitted(EndedGet.NAME);
        listener.ended(command.next(context, nanos));
    }
}
