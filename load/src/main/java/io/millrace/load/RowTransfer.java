// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The main loop of a load: reads each row, maps the row to a command, sends the command on the connection of its key,
 * and counts the outcome.
 *
 * <pre>
 *   RowReader --Row--> RowMapping --arguments--> LoadConnection (BulkWriter) ----> Redis
 *       ^                                             |  keeps the row
 *       +----------------- free rows -----------------+<--- outcome ---> Ledger, RejectHandler
 * </pre>
 *
 * <p>All of this happens on the loading thread. This thread also receives the outcomes, while it sends a batch or waits
 * for a permit of the window. So the ledger needs no lock, and a slow server slows down the reading.
 */
final class RowTransfer {

    /**
     * The server's main thread counts as busy if its share of CPU time is at least this value. If the load waited
     * mostly for the window, this value decides about the bottleneck: the server if its main thread was busy, otherwise
     * the network.
     */
    private static final double BUSY = 0.7;

    private final LoadContext context;
    private final RedisClient client;
    private final BulkOptions bulk;
    private final long shortBytes;
    private final Imports imports;
    private final Recovery recovery;
    /** Null if the load has no checkpoint. */
    private final @Nullable LoadCheckpoint checkpoint;

    /** Null if the load has no checkpoint, or was stopped before its first row. */
    private final @Nullable CheckpointRows checkpointRows;

    private final StallWatch stalls = new StallWatch();
    private final MemoryForecast forecast;

    /** Whether the forecast has been made. */
    private boolean forecastMade;

    /** Number of rows that were sent and have a field or a value longer than {@link #shortBytes}. */
    private long longRows;

    /**
     * The result of a transfer.
     *
     * @param longRows number of rows with a field or a value that is too long for the compact form of a hash
     * @param nodes the commands of each node of a cluster
     */
    record Totals(
            CommandCounts commands,
            FusionCounts fusion,
            Stopwatch.ElapsedTimes took,
            long bytesSent,
            long peakInFlight,
            Times time,
            Bottleneck bottleneck,
            long longRows,
            List<NodeCounts> nodes) {}

    /**
     * Creates the transfer of {@code context}.
     *
     * @param shortBytes maximum length of a field or value in the compact form of a hash; empty if the length does not
     *     matter
     * @param imports the commands that import the rows
     * @param recovery the waits of the load for its server
     * @param checkpoint the checkpoint; null if the load has none
     * @param checkpointRows follows the rows for the checkpoint; null if the load has no checkpoint, or is stopped
     */
    RowTransfer(
            LoadContext context,
            RedisClient client,
            OptionalLong shortBytes,
            Imports imports,
            Recovery recovery,
            @Nullable LoadCheckpoint checkpoint,
            @Nullable CheckpointRows checkpointRows) {
        LoadOptions options = context.plan().options();
        this.context = context;
        this.client = client;
        this.imports = imports;
        this.recovery = recovery;
        this.checkpoint = checkpoint;
        this.checkpointRows = checkpointRows;
        // The rows that an earlier load has written need no more memory.
        this.forecastMade = checkpoint != null && checkpoint.start().rows() > 0;
        this.forecast = new MemoryForecast(
                ServerFacts.soon(client, "memory").orElseGet(() -> ServerFacts.parsed("")),
                context.plan().target());
        this.shortBytes = shortBytes.orElse(Long.MAX_VALUE);
        this.bulk = new BulkOptions(
                options.inFlight(),
                options.inFlightBytes(),
                options.timeout(),
                options.fusion() ? context.mapping().fusion() : Fusion.NONE);
    }

    /** Loads rows until the source ends or the load is stopped, and then waits for the outcomes of all commands. */
    Totals run() {
        OptionalDouble cpuBefore = ServerFacts.cpuSeconds(client);
        Stopwatch flowing = Stopwatch.start();
        try (RowSender sender = sender();
                CancelActions.Registration ignored = context.cancelSignal().onAbandon(sender::abort)) {
            SampledTime time = new SampledTime(System::nanoTime, sender::waitNanos);
            RowRate rate = RowRate.of(context.plan().options().rate(), context.cancelSignal());
            try (EventDispatcher.ProgressThread ticking = context.events().startProgress(() -> progress(sender))) {
                OptionalLong rest =
                        CheckpointedRows.rest(context.plan().options().limit(), checkpoint);
                context.loop(rest, time, rate::isStoppedBeforeNextRow)
                        .run(sender.freeRow(), "", row -> use(row, sender, time));
                sender.finish();
                forecast();
            }
            Stopwatch.ElapsedTimes took = context.stopwatch().times();
            double seconds = flowing.seconds();
            ReplaceableWriter.WriterTotals totals = sender.totals();
            double serverShare = serverShare(cpuBefore, seconds, totals.commands());
            Times times = new Times(
                    time.sourceSeconds(),
                    time.mappingSeconds(),
                    sender.waitNanos() / 1e9,
                    totals.traffic().socketNanos() / 1e9);
            return new Totals(
                    totals.commands(),
                    totals.fusion(),
                    took,
                    totals.traffic().bytesSent(),
                    totals.traffic().peakInFlight(),
                    times,
                    bottleneck(times, stalls.seconds(), serverShare),
                    longRows,
                    totals.nodes());
        }
    }

    /** The current progress. Also measures how long the server is silent. Called by the progress thread. */
    private LoadEvent.Progress progress(RowSender sender) {
        ReplaceableWriter.WriterTotals totals = sender.totals();
        CommandCounts commands = totals.commands();
        stalls.observe(commands.submitted() - commands.pending(), commands.pending(), System.nanoTime());
        return context.progress(commands.pending(), totals.traffic().bytesSent());
    }

    /** Warns if the rows will not fit into the memory of the server. */
    private void forecast() {
        if (!forecastMade) {
            forecastMade = true;
            OptionalLong limit = context.plan().options().limit();
            OptionalLong expected = ExpectedRows.rows(context.reader().expectedRows(), limit);
            forecast.warning(
                            expected,
                            limit.isPresent()
                                    ? OptionalDouble.empty()
                                    : context.reader().share())
                    .ifPresent(context.events()::warn);
        }
    }

    /** The share of {@code seconds} in which the server's main thread was busy; 1 if this share is unknown. */
    private double serverShare(OptionalDouble cpuBefore, double seconds, CommandCounts commands) {
        // After a stop or a timeout the server may hang, so the load does not wait for another reply.
        boolean ask = !context.cancelSignal().isRaised() && commands.timedOut() == 0;
        OptionalDouble cpuAfter = ask ? ServerFacts.cpuSeconds(client) : OptionalDouble.empty();
        return cpuAfter.isPresent() && cpuBefore.isPresent()
                ? (cpuAfter.getAsDouble() - cpuBefore.getAsDouble()) / seconds
                : 1;
    }

    private RowSender sender() {
        LoadOptions options = context.plan().options();
        if (checkpoint instanceof CheckpointInTarget inTarget) {
            return new TransactionSender(
                    inTarget,
                    context.mapping(),
                    context.plan().target().type(),
                    options.fusion(),
                    recovery,
                    context.rejectHandler()::flush,
                    this::begun,
                    this::ended);
        }
        LoadConnections connections =
                new LoadConnections(client, options.connections(), bulk, this::ended, this::writing);
        return context.jobKeys()
                .map(keys -> (RowSender) new RegisteringSender(connections, context, keys, this::begun))
                .orElseGet(() -> new PipelinedSender(connections, context.mapping(), this::begun));
    }

    private RowWriter writing() {
        RowMapping answers = context.plan().target().bind(context.reader().columns());
        return new RowWriter(false, context.mapping(), answers, imports.importer(context.mapping()), recovery);
    }

    private Row use(Row row, RowSender sender, SampledTime time) {
        context.ledger().read();
        if (checkpointRows != null) {
            checkpointRows.read(row);
        }
        Optional<Rejection> rejection =
                row.isRejected() ? row.rejection() : context.mapping().prepare(row);
        if (rejection.isPresent()) {
            time.mapped();
            context.rejectHandler().rejectUnsent(row, rejection.get());
            if (checkpointRows != null) {
                checkpointRows.done(row);
            }
            return row;
        }
        sender.begin(row);
        time.mapped(row.capacity());
        sender.end(row);
        return sender.freeRow();
    }

    /** The arguments of the command of {@code row} have been added. */
    private void begun(Row row) {
        if (context.mapping().longestFieldOrValue() > shortBytes) {
            longRows++;
        }
        account(row);
    }

    /** Adds a row to the statistics of the keys and of the needed memory. */
    private void account(Row row) {
        context.countKey();
        if (forecast.needsRows()) {
            forecast.add(context.mapping(), row);
        } else {
            forecast();
        }
    }

    /** Counts the outcome of the command of {@code row}. */
    private void ended(Row row, Outcome outcome) {
        if (checkpointRows != null) {
            if (isDone(outcome)) {
                checkpointRows.done(row);
            } else {
                checkpointRows.leftOpen();
            }
        }
        switch (outcome) {
            case Outcome.Ok ok -> {
                if (context.mapping().leftOut(ok.reply())) {
                    context.ledger().skipped();
                } else {
                    context.ledger().written();
                }
            }
            case Outcome.Failed failed -> {
                ServerError kind = ServerError.of(failed.error());
                if (kind.isHopeless()) {
                    context.cancelSignal().stop(kind.message(failed.error()));
                }
                context.rejectHandler().rejectByServer(row, failed.error().message());
            }
            case Outcome.TimedOut ignored -> context.rejectHandler().unconfirmed(row);
            case Outcome.Refused ignored -> {
                context.ledger().skipped();
                refused();
            }
            case Outcome.Lost lost -> {
                if (lost.maybeExecuted()) {
                    context.rejectHandler().unconfirmed(row);
                } else {
                    context.ledger().skipped();
                }
            }
        }
    }

    /** Whether a load that continues need not send a row with {@code outcome} again. */
    private static boolean isDone(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ok -> true;
            case Outcome.Failed failed -> {
                ServerError kind = ServerError.of(failed.error());
                yield !kind.isTemporary() && !kind.isHopeless();
            }
            case Outcome.TimedOut timedOut -> false;
            case Outcome.Refused refused -> false;
            case Outcome.Lost lost -> false;
        };
    }

    private void refused() {
        if (Thread.currentThread().isInterrupted()) {
            context.cancelSignal().interrupt();
        } else {
            context.cancelSignal()
                    .stop("the server accepted no more commands for "
                            + bulk.timeout().toMillis() + " ms");
        }
    }

    /**
     * The part that the load waited for most.
     *
     * @param stalled seconds in which the server sent no reply. A stalled server uses no CPU time
     */
    static Bottleneck bottleneck(Times time, double stalled, double serverShare) {
        if (time.window() >= Math.max(time.source(), time.mapping())) {
            boolean server = stalled >= time.window() / 2 || serverShare >= BUSY;
            return server ? Bottleneck.SERVER : Bottleneck.NETWORK;
        }
        return time.source() >= time.mapping() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
    }
}
