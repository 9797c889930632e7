// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

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
    private final boolean imports;
    private final Recovery recovery;
    private final StallWatch stalls = new StallWatch();
    private final MemoryForecast forecast;

    /** Records the keys of each connection, if the load is a run of a job. */
    private final IdentityHashMap<LoadConnection, KeyRegistration> registrations = new IdentityHashMap<>();

    /** Whether the forecast has been made. */
    private boolean forecastMade;

    /** Number of rows that were sent and have a field or a value longer than {@link #shortBytes}. */
    private long longRows;

    /**
     * The result of a transfer.
     *
     * @param longRows number of rows with a field or a value that is too long for the compact form of a hash
     */
    record Totals(
            CommandCounts commands,
            FusionCounts fusion,
            Stopwatch.ElapsedTimes took,
            long bytesSent,
            long peakInFlight,
            Times time,
            Bottleneck bottleneck,
            long longRows) {}

    /**
     * Creates the transfer of {@code context}.
     *
     * @param shortBytes maximum length of a field or value in the compact form of a hash; empty if the length does not
     *     matter
     * @param imports whether the server has {@code HIMPORT}; used by the mappings that support it
     * @param recovery the waits of the load for its server
     */
    RowTransfer(LoadContext context, RedisClient client, OptionalLong shortBytes, boolean imports, Recovery recovery) {
        LoadOptions options = context.plan().options();
        this.context = context;
        this.client = client;
        this.imports = imports;
        this.recovery = recovery;
        this.forecast = new MemoryForecast(
                ServerFacts.of(client, "memory"), context.plan().target());
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
        int connections = context.plan().options().connections();
        try (LoadConnections loadConnections =
                        new LoadConnections(client, connections, bulk, this::ended, this::writing);
                CancelActions.Registration ignored = context.cancelSignal().onAbandon(loadConnections::abort)) {
            SampledTime time = new SampledTime(System::nanoTime, loadConnections::waitNanos);
            RowRate rate = RowRate.of(context.plan().options().rate(), context.cancelSignal());
            try (EventDispatcher.ProgressThread ticking =
                    context.events().startProgress(() -> progress(loadConnections))) {
                context.loop(time, rate::isStoppedBeforeNextRow)
                        .run(loadConnections.freeRow(), "", row -> use(row, loadConnections, time));
                registrations.values().forEach(this::sendHeld);
                loadConnections.finish();
                forecast();
            }
            Stopwatch.ElapsedTimes took = context.stopwatch().times();
            double seconds = flowing.seconds();
            ReplaceableWriter.WriterTotals totals = loadConnections.totals();
            double serverShare = serverShare(cpuBefore, seconds, totals.commands());
            Times times = new Times(
                    time.sourceSeconds(),
                    time.mappingSeconds(),
                    loadConnections.waitNanos() / 1e9,
                    totals.traffic().socketNanos() / 1e9);
            return new Totals(
                    totals.commands(),
                    totals.fusion(),
                    took,
                    totals.traffic().bytesSent(),
                    totals.traffic().peakInFlight(),
                    times,
                    bottleneck(times, stalls.seconds(), serverShare),
                    longRows);
        }
    }

    /** The current progress. Also measures how long the server is silent. Called by the progress thread. */
    private LoadEvent.Progress progress(LoadConnections loadConnections) {
        ReplaceableWriter.WriterTotals totals = loadConnections.totals();
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

    private RowWriter writing() {
        Optional<HashImport> hashImport = imports ? context.mapping().hashImport() : Optional.empty();
        return new RowWriter(
                context.mapping(), hashImport.map(HashImporter::new).orElse(null), recovery);
    }

    private Row use(Row row, LoadConnections loadConnections, SampledTime time) {
        context.ledger().read();
        Optional<Rejection> rejection =
                row.isRejected() ? row.rejection() : context.mapping().prepare(row);
        if (rejection.isPresent()) {
            time.mapped();
            context.rejectHandler().rejectUnsent(row, rejection.get());
            return row;
        }
        LoadConnection loadConnection = loadConnections.forKey(
                context.mapping().key(), context.mapping().keyLength());
        if (context.jobKeys().isPresent()) {
            time.mapped();
            registration(loadConnection, context.jobKeys().get()).send(row);
        } else {
            begin(loadConnection, row);
            time.mapped();
            loadConnection.end(row);
        }
        return loadConnections.freeRow();
    }

    /** Begins the command of {@code row}, which the mapping has prepared. */
    private void begin(LoadConnection loadConnection, Row row) {
        loadConnection.begin(row);
        if (context.mapping().longestFieldOrValue() > shortBytes) {
            longRows++;
        }
        account(row);
    }

    private KeyRegistration registration(LoadConnection loadConnection, JobKeys keys) {
        return registrations.computeIfAbsent(
                loadConnection,
                connection -> new KeyRegistration(
                        connection,
                        context.mapping(),
                        keys.newManifest().getBytes(StandardCharsets.US_ASCII),
                        (sending, row) -> {
                            begin(sending, row);
                            sending.end(row);
                        }));
    }

    /** Sends the rows that wait for the registration of their keys. After a stop, these rows are skipped. */
    private void sendHeld(KeyRegistration registration) {
        if (context.cancelSignal().isRaised()) {
            registration.takeHeld().forEach(row -> context.ledger().skipped());
        } else {
            registration.sendHeld();
        }
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
