// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter.Traffic;
import io.millrace.client.CommandCounts;
import io.millrace.client.Fusion;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The way of the rows: read, mapped, put on the lane of their key, accounted for.
 *
 * <pre>
 *   RowReader --Row--> RowMapping --arguments--> Lane (BulkWriter) ----> Redis
 *       ^                                          |  keeps the row
 *       +---------------- free rows ---------------+<--- outcome ---> Ledger, RejectDesk
 * </pre>
 *
 * <p>All of it happens on the loading thread: outcomes are told there too, by the writers, whenever they send a batch or wait
 * for room. So the ledger needs no lock, and when the server is slow it is the reading that waits.
 */
final class RowFlow {

    /** The server's main thread this busy is what holds the load up; less, and it is waiting for the network. */
    private static final double BUSY = 0.7;

    private final Job job;
    private final RedisClient client;
    private final BulkOptions bulk;
    private final long shortBytes;
    private final boolean imports;

    /** Rows that were given to a lane and have a part that is longer. */
    private long longRows;

    /**
     * What a flow has done when it has ended.
     *
     * @param longRows rows with a part that the server does not keep in compact form
     */
    record Totals(
            CommandCounts commands,
            FusionCounts fusion,
            Stopwatch.Times took,
            long bytesSent,
            long peakInFlight,
            Times time,
            Bottleneck bottleneck,
            long longRows) {}

    /**
     * The flow of {@code job}.
     *
     * @param shortBytes how long the parts of a row may be that the server keeps in compact form; empty if that makes no difference
     * @param imports whether the server has {@code HIMPORT}, for the mappings that can do with it
     */
    RowFlow(Job job, RedisClient client, OptionalLong shortBytes, boolean imports) {
        LoadOptions options = job.plan().options();
        this.job = job;
        this.client = client;
        this.imports = imports;
        this.shortBytes = shortBytes.orElse(Long.MAX_VALUE);
        this.bulk = new BulkOptions(
                options.inFlight(),
                options.inFlightBytes(),
                options.timeout(),
                options.fusion() ? job.mapping().fusion() : Fusion.NONE);
    }

    /** Lets rows flow until the end of the source, or until the stop sign, and waits for what is in flight. */
    Totals run() {
        OptionalDouble cpuBefore = ServerFacts.cpuSeconds(client);
        Stopwatch flowing = Stopwatch.start();
        int connections = job.plan().options().connections();
        try (Lanes lanes = new Lanes(client, connections, bulk, this::ended, this::writing);
                Alarm.Watch ignored = job.stop().onAbandon(lanes::abort)) {
            SampledTime time = new SampledTime(System::nanoTime, lanes::windowNanos);
            try (Events.Ticking ticking =
                    job.events().tellRegularly(() -> job.progress(lanes.inFlight(), lanes.bytesSent()))) {
                job.loop(time).run(lanes.freeRow(), "", row -> use(row, lanes, time));
                lanes.finish();
            }
            Stopwatch.Times took = job.stopwatch().times();
            double seconds = flowing.seconds();
            CommandCounts commands = lanes.counts();
            // A server that is no longer waited for, or let commands wait too long, is not asked how it did.
            boolean ask = !job.stop().isUp() && commands.timedOut() == 0;
            OptionalDouble cpuAfter = ask ? ServerFacts.cpuSeconds(client) : OptionalDouble.empty();
            double serverShare = cpuAfter.isPresent() && cpuBefore.isPresent()
                    ? (cpuAfter.getAsDouble() - cpuBefore.getAsDouble()) / seconds
                    : 1;
            Traffic traffic = lanes.traffic();
            Times times = new Times(
                    time.sourceSeconds(),
                    time.mappingSeconds(),
                    traffic.windowNanos() / 1e9,
                    traffic.socketNanos() / 1e9);
            return new Totals(
                    commands,
                    lanes.fusion(),
                    took,
                    traffic.bytesSent(),
                    traffic.peakInFlight(),
                    times,
                    bottleneck(times, serverShare),
                    longRows);
        }
    }

    private RowWriting writing() {
        Optional<HashImport> hashImport = imports ? job.mapping().hashImport() : Optional.empty();
        return RowWriting.of(job.mapping(), hashImport.map(Importing::new).orElse(null));
    }

    private Row use(Row row, Lanes lanes, SampledTime time) {
        job.ledger().read();
        Optional<Rejection> rejection =
                row.isRejected() ? row.rejection() : job.mapping().prepare(row);
        if (rejection.isPresent()) {
            time.mapped();
            job.desk().rejectUnsent(row, rejection.get());
            return row;
        }
        Lane lane = lanes.of(job.mapping().key(), job.mapping().keyLength());
        lane.begin(row);
        if (job.mapping().longestPart() > shortBytes) {
            longRows++;
        }
        time.mapped();
        lane.end(row);
        return lanes.freeRow();
    }

    /** What the outcome of a command means for its row. */
    private void ended(Row row, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ignored -> job.ledger().written();
            case Outcome.Failed failed -> {
                ServerTrouble.of(failed.error()).ifPresent(trouble -> job.stop().stop(trouble.why(failed.error())));
                job.desk().rejectByServer(row, failed.error().message());
            }
            case Outcome.TimedOut ignored -> job.ledger().unconfirmed();
            case Outcome.Refused ignored -> {
                job.ledger().skipped();
                refused();
            }
            case Outcome.Lost lost -> {
                if (lost.maybeExecuted()) {
                    job.ledger().unconfirmed();
                } else {
                    job.ledger().skipped();
                }
                job.stop().stop("the connection to Redis was lost: " + lost.cause());
            }
        }
    }

    private void refused() {
        if (Thread.currentThread().isInterrupted()) {
            job.stop().interrupt();
        } else {
            job.stop()
                    .stop("the server took no more commands for "
                            + bulk.timeout().toMillis() + " ms");
        }
    }

    private static Bottleneck bottleneck(Times time, double serverShare) {
        if (time.window() >= Math.max(time.source(), time.mapping())) {
            return serverShare >= BUSY ? Bottleneck.SERVER : Bottleneck.NETWORK;
        }
        return time.source() >= time.mapping() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
    }
}
