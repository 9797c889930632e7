// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.RowMapping;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs load plans. One at a time; {@link #stop} from any thread.
 *
 * <p>Order of things: the source is opened and the plan checked against its columns, then the rejects file is opened, then
 * Redis is contacted, then rows flow. So a plan that cannot work is refused before anything is written.
 */
public final class Loader {

    private final ClientOptions redis;
    private final AtomicReference<@Nullable StopSign> running = new AtomicReference<>();

    /** A loader into the server of {@code redis}. Connects for each run. */
    public Loader(ClientOptions redis) {
        this.redis = redis;
    }

    /**
     * Runs {@code plan} on the calling thread and returns its account. What goes wrong once rows flow is in the report, not
     * in an exception.
     *
     * @param events told of what happens, one event at a time, from this thread and from one of the load's own
     * @throws PlanException if the plan does not fit its source, or this server; nothing was written
     * @throws io.millrace.load.source.SourceException if the source cannot be opened; nothing was written
     * @throws io.millrace.client.RedisException if Redis cannot be reached; nothing was written
     * @throws IllegalStateException if this loader is running
     */
    public LoadReport run(LoadPlan plan, Consumer<LoadEvent> events) {
        StopSign stop = new StopSign();
        if (!running.compareAndSet(null, stop)) {
            throw new IllegalStateException("this loader is running");
        }
        try {
            Events told = new Events(events);
            LoadReport report = run(plan, told, stop);
            told.tell(new LoadEvent.Finished(report));
            return report;
        } finally {
            running.set(null);
        }
    }

    /**
     * Asks a running load to read no further row, wait for what is in flight, and report. Returns at once. A source that is
     * waiting for input is not woken: whoever holds the other end of a pipe closes it.
     */
    public void stop() {
        StopSign sign = running.get();
        if (sign != null) {
            sign.interrupt();
        }
    }

    private LoadReport run(LoadPlan plan, Events events, StopSign stop) {
        Stopwatch stopwatch = Stopwatch.start();
        LoadOptions options = plan.options();
        if (options.verify().share() > 0 && !plan.source().readableAgain()) {
            throw new PlanException("verification reads the source a second time, which "
                    + plan.source().name() + " does not allow. Load from a file, or without verification");
        }
        try (RowReader reader = plan.source().open()) {
            RowMapping mapping = plan.target().bind(reader.columns());
            try (RejectsFile rejects = options.rejects()
                    .map(path -> RejectsFile.open(path, plan.source().name(), reader.columns()))
                    .orElse(null)) {
                Ledger ledger = new Ledger();
                RejectDesk desk = new RejectDesk(options, ledger, stop, events, mapping, rejects);
                return options.dryRun()
                        ? new DryRun(plan, reader, mapping, ledger, desk, stop, events).run(stopwatch)
                        : load(plan, reader, mapping, ledger, desk, stop, events, stopwatch);
            }
        }
    }

    private LoadReport load(
            LoadPlan plan,
            RowReader reader,
            RowMapping mapping,
            Ledger ledger,
            RejectDesk desk,
            StopSign stop,
            Events events,
            Stopwatch stopwatch) {
        try (RedisClient client = RedisClient.connect(redis)) {
            LoadReport.Server server = ServerFacts.of(client, "server").identity();
            if (server.mode().equals("cluster")) {
                throw new PlanException(
                        redis.uri() + " is a node of a cluster, and this version loads single servers only");
            }
            events.tell(new LoadEvent.Started(plan.source().name(), redis.uri().toString(), OptionalLong.empty()));
            RowFlow flow = new RowFlow(plan, reader, mapping, ledger, desk, stop, client, events);
            RowFlow.Totals totals = flow.run();
            Stopwatch.Times took = stopwatch.times();
            Optional<LoadReport.Verified> verified = verify(plan, desk, stop, client, events);
            return new LoadReport(
                    stop.ending(),
                    ledger.counts(),
                    totals.commands(),
                    took.seconds(),
                    took.cpuSeconds(),
                    totals.bytesSent(),
                    totals.peakInFlight(),
                    totals.time(),
                    totals.bottleneck(),
                    verified,
                    Optional.of(server));
        }
    }

    /** Only a load that read its whole source has a state to compare with. */
    private static Optional<LoadReport.Verified> verify(
            LoadPlan plan, RejectDesk desk, StopSign stop, RedisClient client, Events events) {
        if (plan.options().verify().share() <= 0 || stop.isUp()) {
            return Optional.empty();
        }
        long began = System.nanoTime();
        try (RowReader again = plan.source().open()) {
            Verifier verifier = new Verifier(plan, again, client, desk.rejectedByServer(), stop);
            try (Events.Ticking ignored = events.tellRegularly(() -> verifying(verifier, began))) {
                return Optional.of(verifier.run());
            }
        } catch (RuntimeException e) {
            // The rows are written by now: their account must not be lost for this.
            stop.stop("verification failed: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static LoadEvent verifying(Verifier verifier, long began) {
        LoadReport.Verified soFar = verifier.soFar();
        return new LoadEvent.Verifying(soFar.checked(), soFar.mismatched(), (System.nanoTime() - began) / 1e9);
    }
}
