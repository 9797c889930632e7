// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The same {@code SET}s over one connection, over pools of several sizes, and in pipelines. */
public final class ConnectionPatterns {

    private static final String ONE_BY_ONE = "one-by-one";
    private static final long SIZE = 100_000;

    /** One thread over one connection needs seconds for 100,000 commands; a smaller unit is repeated. */
    private static final long SIZE_OF_ONE_THREAD = 10_000;

    private static final RoundPlan PLAN =
            RoundPlan.USUAL.withForks(2).withRounds(3).withExpectedUnit(Duration.ofSeconds(2));

    /** On loopback, all patterns look alike. The reference measurements have about one millisecond, too. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(1);

    private final Parameters parameters;
    private final List<ClientLibrary> libraries;

    private ConnectionPatterns(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.libraries = libraries;
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new ConnectionPatterns(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        return new Experiment(
                "e1",
                "Connection patterns",
                "How much do more connections help, and how much do pipelines help?",
                Stream.of(shared(), kept(), borrowed()).flatMap(List::stream).toList());
    }

    /** Patterns in which all threads use one client, or each thread keeps a connection. */
    private List<Scenario> shared() {
        List<LibraryMode> call = LibraryMode.main(Capability.CALL, libraries);
        List<LibraryMode> batch = LibraryMode.main(Capability.BATCH, libraries);
        List<LibraryMode> bulk = LibraryMode.with(Capability.BATCH, libraries).stream()
                .filter(mode -> mode.mode().name().startsWith("bulk-writer"))
                .toList();
        return List.of(
                sets(ONE_BY_ONE, "One thread, one connection", call, SIZE_OF_ONE_THREAD, SendPattern.oneByOne()),
                sets("callers-100", "100 virtual callers share one client", call, SendPattern.callers(100)),
                sets("pipeline-200", "One thread, pipelines of 200", batch, SendPattern.batches(200)),
                sets("bulk-writer", "All commands at once", bulk, SendPattern.oneBatch()));
    }

    /** Patterns in which each thread keeps the connection that the thread has borrowed. Not in a quick run. */
    private List<Scenario> kept() {
        return parameters.quick()
                ? List.of()
                : List.of(
                        borrowing("threads-10-pool-8-kept", "10 threads keep 8 connections", SendPattern.kept(10, 8)),
                        borrowing(
                                "threads-100-pool-8-kept", "100 threads keep 8 connections", SendPattern.kept(100, 8)));
    }

    /** Patterns in which threads borrow connections from a pool again and again. */
    private List<Scenario> borrowed() {
        return List.of(
                borrowing(
                        "threads-100-pool-8-returned",
                        "100 threads return 8 connections after each command",
                        SendPattern.returned(100, 8)),
                borrowing(
                        "threads-100-pool-100-returned",
                        "100 threads return 100 connections after each command",
                        SendPattern.returned(100, 100)),
                borrowing(
                        "pool-100-pipelined",
                        "100 threads, 100 connections, pipelines of 100",
                        SendPattern.pipelined(100, 100, 100)),
                borrowing(
                        "queue-10-pipelined",
                        "A producer and 10 consumers with pipelines of 200",
                        QueuePattern.of(10, 200)));
    }

    private Scenario sets(String name, String title, List<LibraryMode> modes, SendPattern pattern) {
        return sets(name, title, modes, SIZE, pattern);
    }

    private Scenario borrowing(String name, String title, SendPattern pattern) {
        List<LibraryMode> modes = LibraryMode.with(Capability.BORROW, libraries);
        return sets(name, title, modes, SIZE, pattern, contender -> contender.missingIf(ConnectionPatterns::noPool));
    }

    /** A connection that is borrowed without a key reaches one server. */
    private static Optional<String> noPool(Target target) {
        return target.cluster() || target.sentinels().isPresent()
                ? Optional.of(
                        "a connection of a pool reaches one server, and not a cluster or the primary of Sentinels."
                                + " Name the server.")
                : Optional.empty();
    }

    private Scenario sets(String name, String title, List<LibraryMode> modes, long size, SendPattern pattern) {
        return sets(name, title, modes, size, pattern, contender -> contender);
    }

    private Scenario sets(
            String name,
            String title,
            List<LibraryMode> modes,
            long size,
            SendPattern pattern,
            UnaryOperator<JvmContender> change) {
        int payloadBytes = parameters.payloadBytes(16);
        String tenth = pattern.waits() ? "; over a distance, a unit has a tenth of the commands" : "";
        Scenario.Builder scenario = Scenario.named(name, title)
                .contenders(LibraryMode.fewIfQuick(parameters, modes).stream()
                        .map(mode -> mode.contender(
                                mode.label(),
                                pattern.note() + tenth,
                                new CommandListWork(
                                        mode, list -> CommandList.sets(list, payloadBytes), size, pattern, 0)))
                        .map(change)
                        .toList())
                .plan(PLAN)
                .roundTrip(ROUND_TRIP)
                .figure("wall s", Figure.UNIT_SECONDS)
                .figure("user s", Figure.USER_SECONDS)
                .figure("system s", Figure.SYSTEM_SECONDS)
                .figure("CPU %", Figure.CPU_PERCENT)
                .server(new CommandListCheck(list -> CommandList.sets(list, payloadBytes)).serverUse());
        return (name.equals(ONE_BY_ONE) ? scenario : scenario.relativeTo(ONE_BY_ONE)).build();
    }
}
