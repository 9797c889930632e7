// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.client.CommandHistograms;
import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Calls {@link CommandHistograms} as the client does: once at the start and once at the end of each command. No command is
 * sent. One operation of JMH is both calls for one command. All threads share the histograms.
 */
public class ListenerBenchmark {

    private static final double LEAST_NANOS = 10_000;
    private static final double RATIO_OF_MOST_TO_LEAST = 1_000;

    /** The listener of all threads. */
    @State(Scope.Benchmark)
    public static class Listener {

        private final CommandListener histograms = new CommandHistograms();
    }

    /** The commands of one thread. Half of the latencies are shorter than 316 µs. */
    @State(Scope.Thread)
    public static class Commands {

        private static final int LENGTH = 4096; // a power of two

        private final EndedCommand[] commands = new SplittableRandom(1)
                .doubles(LENGTH)
                .mapToObj(share -> get((long) (LEAST_NANOS * Math.pow(RATIO_OF_MOST_TO_LEAST, share))))
                .toArray(EndedCommand[]::new);
        private final EndedCommand first = commands[0];
        private int position;

        EndedCommand next() {
            position = (position + 1) & (LENGTH - 1);
            return commands[position];
        }
    }

    /** Every command has the same latency, so the calls change few cache lines. */
    @Benchmark
    public void equalLatencies(Listener listener, Commands commands, Blackhole blackhole) {
        oneCommand(listener.histograms, commands.first, blackhole);
    }

    /** The latencies are between 10 µs and 10 ms, so the calls change many cache lines. */
    @Benchmark
    public void variedLatencies(Listener listener, Commands commands, Blackhole blackhole) {
        oneCommand(listener.histograms, commands.next(), blackhole);
    }

    private static void oneCommand(CommandListener listener, EndedCommand command, Blackhole blackhole) {
        blackhole.consume(listener.submitted(command.name()));
        listener.ended(command);
    }

    private static EndedCommand get(long nanos) {
        Optional<Outcome> outcome = Optional.of(new Outcome.Ok(Reply.OK));
        return new Ended(
                "GET", null, "localhost:6379", "1", EndedCommand.Kind.OK, outcome, 1, true, 1_001, 1 + nanos, 20, 0);
    }

    /** A command that was sent and has ended. */
    private record Ended(
            String name,
            @Nullable Object context,
            String endpoint,
            String connection,
            Kind kind,
            Optional<Outcome> outcome,
            long submittedNanos,
            boolean wasSent,
            long sentNanos,
            long endedNanos,
            long requestBytes,
            int lostConnections)
            implements EndedCommand {}
}
