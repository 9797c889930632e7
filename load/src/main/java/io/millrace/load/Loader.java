// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.Bucket;
import io.millrace.load.target.RowMapping;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs load plans. One at a time; {@link #stop} and {@link #abandon} from any thread.
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
     * in an exception. An interrupt of the thread is a request to stop.
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
     * Asks a running load to read no further row, wait for what is in flight, and report. Returns at once, from any thread. A
     * reader that waits for its source is woken, as far as {@link RowReader#cancel} can; a source that is still being opened is
     * not.
     */
    public void stop() {
        StopSign sign = running.get();
        if (sign != null) {
            sign.interrupt();
        }
    }

    /**
     * Stops a running load without waiting for what is in flight, for when that takes too long: the connections end at once,
     * rows without a reply are unconfirmed, and the account is closed and returned all the same. Returns at once, from any
     * thread.
     */
    public void abandon() {
        StopSign sign = running.get();
        if (sign != null) {
            sign.abandon();
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
                Job job = new Job(plan, reader, mapping, ledger, desk, stop, events, stopwatch);
                return options.dryRun() ? new DryRun(job).run() : load(job);
            }
        }
    }

    private LoadReport load(Job job) {
        try (RedisClient client = RedisClient.connect(redis)) {
            LoadReport.Server server = ServerFacts.of(client, "server").identity();
            if (server.mode().equals("cluster")) {
                throw new PlanException(
                        redis.uri() + " is a node of a cluster, and this version loads single servers only");
            }
            Optional<Bucket> bucket = job.plan().target().bucket();
            HashLimits limits = bucket.map(ignored -> HashLimits.of(client)).orElse(HashLimits.NONE);
            Optional<String> doubt = bucket.flatMap(limits::check);
            job.events()
                    .tell(new LoadEvent.Started(
                            job.plan().source().name(),
                            redis.uri().toString(),
                            Expectation.rows(
                                    job.reader().expectedRows(),
                                    job.plan().options().limit())));
            warn(job, doubt);
            boolean imports = job.mapping().hashImport().isPresent() && ServerFacts.hasCommand(client, "HIMPORT");
            RowFlow.Totals totals = new RowFlow(job, client, limits.valueBytes(), imports).run();
            job.desk().close();
            warn(job, limits.ofLongRows(totals.longRows()));
            // A database must not hold a cursor and a transaction open while its rows are read a second time.
            job.reader().close();
            Optional<LoadReport.Verified> verified = verify(job, client);
            return new LoadReport(
                    job.stop().ending(),
                    job.ledger().counts(),
                    totals.commands(),
                    totals.fusion(),
                    totals.took().seconds(),
                    totals.took().cpuSeconds(),
                    totals.bytesSent(),
                    totals.peakInFlight(),
                    totals.time(),
                    totals.bottleneck(),
                    verified,
                    Optional.of(server));
        }
    }

    private static void warn(Job job, Optional<String> message) {
        message.ifPresent(text -> job.events().tell(new LoadEvent.Warned(text)));
    }

    /** Only a load that read its whole source has a state to compare with. */
    private static Optional<LoadReport.Verified> verify(Job job, RedisClient client) {
        LoadPlan plan = job.plan();
        StopSign stop = job.stop();
        PlaceSet exempt = job.desk().rejectedByServer();
        if (plan.options().verify().share() <= 0 || stop.isUp()) {
            return Optional.empty();
        }
        if (exempt.overflowed()) {
            stop.stop("verification was left out: the server refused more rows than can be told apart from those that"
                    + " differ: remembered=" + exempt.size() + ". Mend them, and load again");
            return Optional.empty();
        }
        Stopwatch verifying = Stopwatch.start();
        try (RowReader again = plan.source().open()) {
            Verifier verifier = new Verifier(plan, again, client, exempt, stop, job.stopwatch());
            try (Events.Ticking ignored = job.events().tellRegularly(() -> verifier.progress(verifying.seconds()))) {
                return verifier.run();
            }
        } catch (RuntimeException e) {
            // The rows are written by now: their account must not be lost for this.
            stop.stop("verification failed: " + e.getMessage());
            return Optional.empty();
        }
    }
}
