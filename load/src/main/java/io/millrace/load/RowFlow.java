// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.BulkWriter.Traffic;
import io.millrace.client.CommandCounts;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.RowMapping;
import java.util.Optional;
import java.util.OptionalDouble;

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

    private final LoadPlan plan;
    private final RowReader reader;
    private final RowMapping mapping;
    private final Ledger ledger;
    private final RejectDesk desk;
    private final StopSign stop;
    private final RedisClient client;
    private final Events events;
    private final SampledTime time = new SampledTime();

    /** What a flow has done when it has ended. */
    record Totals(CommandCounts commands, long bytesSent, long peakInFlight, Times time, Bottleneck bottleneck) {}

    RowFlow(
            LoadPlan plan,
            RowReader reader,
            RowMapping mapping,
            Ledger ledger,
            RejectDesk desk,
            StopSign stop,
            RedisClient client,
            Events events) {
        this.plan = plan;
        this.reader = reader;
        this.mapping = mapping;
        this.ledger = ledger;
        this.desk = desk;
        this.stop = stop;
        this.client = client;
        this.events = events;
    }

    /** Lets rows flow until the end of the source, or until the stop sign, and waits for what is in flight. */
    Totals run() {
        LoadOptions options = plan.options();
        BulkOptions bulk = new BulkOptions(options.inFlight(), options.inFlightBytes(), options.timeout());
        OptionalDouble serverCpuBefore = ServerFacts.cpuSeconds(client);
        Stopwatch stopwatch = Stopwatch.start();
        try (Lanes lanes = new Lanes(client, options.connections(), bulk, this::ended)) {
            try (Events.Ticking ignored = events.tellRegularly(() -> progress(lanes, stopwatch))) {
                readAll(lanes);
                lanes.finish();
            }
            desk.flush();
            double seconds = stopwatch.seconds();
            OptionalDouble serverCpu = ServerFacts.cpuSeconds(client);
            Traffic traffic = lanes.traffic();
            Times times = new Times(
                    time.sourceSeconds(),
                    time.mappingSeconds(),
                    traffic.windowNanos() / 1e9,
                    traffic.socketNanos() / 1e9);
            double serverShare = serverCpu.isPresent() && serverCpuBefore.isPresent()
                    ? (serverCpu.getAsDouble() - serverCpuBefore.getAsDouble()) / seconds
                    : 1;
            return new Totals(
                    lanes.counts(), traffic.bytesSent(), traffic.peakInFlight(), times, bottleneck(times, serverShare));
        }
    }

    private void readAll(Lanes lanes) {
        long limit = plan.options().limit().orElse(Long.MAX_VALUE);
        Row row = lanes.freeRow();
        try {
            for (long read = 0; read < limit && !stop.isUp(); read++) {
                time.start();
                if (!reader.next(row)) {
                    return;
                }
                time.read();
                ledger.read();
                if (isWritable(row)) {
                    write(row, lanes);
                    row = lanes.freeRow();
                }
            }
        } catch (SourceException e) {
            stop.stop(String.valueOf(e.getMessage()));
        }
    }

    private boolean isWritable(Row row) {
        Optional<Rejection> rejection = row.isRejected() ? row.rejection() : mapping.prepare(row);
        rejection.ifPresent(why -> desk.rejectUnsent(row, why));
        return rejection.isEmpty();
    }

    private void write(Row row, Lanes lanes) {
        Lane lane = lanes.of(mapping.key(), mapping.keyLength());
        BulkWriter command = lane.begin(mapping.command());
        mapping.write(row, command);
        time.mapped();
        lane.end(row);
    }

    /** What the outcome of a command means for its row. */
    private void ended(Row row, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ignored -> ledger.written();
            case Outcome.Failed failed ->
                desk.rejectByServer(row, failed.error().message());
            case Outcome.TimedOut ignored -> ledger.unconfirmed();
            case Outcome.Refused ignored -> {
                ledger.skipped();
                stop.stop("the server took no more commands for "
                        + plan.options().timeout().toMillis() + " ms");
            }
            case Outcome.Lost lost -> {
                if (lost.maybeExecuted()) {
                    ledger.unconfirmed();
                } else {
                    ledger.skipped();
                }
                stop.stop("the connection to Redis was lost: " + lost.cause());
            }
        }
    }

    private LoadEvent progress(Lanes lanes, Stopwatch stopwatch) {
        return new LoadEvent.Progress(ledger.counts(), lanes.inFlight(), lanes.bytesSent(), stopwatch.seconds());
    }

    private static Bottleneck bottleneck(Times time, double serverShare) {
        if (time.window() >= Math.max(time.source(), time.mapping())) {
            return serverShare >= BUSY ? Bottleneck.SERVER : Bottleneck.NETWORK;
        }
        return time.source() >= time.mapping() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
    }
}
