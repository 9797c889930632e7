// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs load plans, one at a time. {@link #stop} and {@link #abandon} may be called on any thread.
 *
 * <p>A run has these steps: open the source and check the plan against its columns, open the rejects file, connect to
 * Redis, load the rows. So an invalid plan fails before any row is written.
 */
public final class Loader {

    private final ClientOptions redis;
    private final AtomicReference<@Nullable CancelSignal> running = new AtomicReference<>();

    /** Creates a loader for the server of {@code redis}. Each run opens its own connections. */
    public Loader(ClientOptions redis) {
        this.redis = redis;
    }

    /**
     * Runs {@code plan} on the calling thread and returns its report. Blocks until the load has ended. After the first
     * row has been sent, this method reports a failure in the report, and throws no exception. An interrupt of the
     * calling thread stops the load.
     *
     * @param events listener; receives one event at a time, on this thread and on the progress thread of the load
     * @throws PlanException if the plan does not fit its source or this server; nothing was written
     * @throws io.millrace.load.source.SourceException if the source cannot be opened; nothing was written
     * @throws io.millrace.client.exception.RedisException if Redis cannot be reached; nothing was written
     * @throws IllegalStateException if this loader already runs a load
     */
    public LoadReport run(LoadPlan plan, Consumer<LoadEvent> events) {
        CancelSignal stop = new CancelSignal();
        if (!running.compareAndSet(null, stop)) {
            throw new IllegalStateException(
                    "this loader already runs a load. Wait for the end of the load, or use another loader.");
        }
        try {
            EventDispatcher dispatcher = new EventDispatcher(events);
            LoadReport report = run(plan, dispatcher, stop);
            dispatcher.dispatch(new LoadEvent.Finished(report));
            return report;
        } finally {
            running.set(null);
        }
    }

    /**
     * Stops a running load. The load reads no further row, waits for the commands in flight, and returns its report.
     * This method does not wait for the end of the load. Any thread may call this method. If the reader waits for its
     * source, this method wakes the reader with {@link RowReader#cancel}. If the load is still opening its source, the
     * load stops only when the source is open.
     */
    public void stop() {
        CancelSignal cancelSignal = running.get();
        if (cancelSignal != null) {
            cancelSignal.interrupt();
        }
    }

    /**
     * Stops a running load without waiting for the commands in flight. The connections are closed, and rows without a
     * reply are unconfirmed. {@link #run} still returns a complete report. This method does not wait for the end of the
     * load. Any thread may call this method.
     */
    public void abandon() {
        CancelSignal cancelSignal = running.get();
        if (cancelSignal != null) {
            cancelSignal.abandon();
        }
    }

    private LoadReport run(LoadPlan plan, EventDispatcher eventDispatcher, CancelSignal stop) {
        Stopwatch stopwatch = Stopwatch.start();
        LoadOptions options = plan.options();
        if (options.verify().share() > 0) {
            checkVerification(plan);
        }
        try (RowReader reader = plan.source().open()) {
            RowMapping mapping = plan.target().bind(reader.columns());
            try (RejectsFile rejects = options.rejects()
                    .map(path -> RejectsFile.open(path, plan.source().name(), reader.columns()))
                    .orElse(null)) {
                Ledger ledger = new Ledger();
                RejectHandler rejectHandler =
                        new RejectHandler(options, ledger, stop, eventDispatcher, mapping, rejects);
                LoadContext context =
                        new LoadContext(plan, reader, mapping, ledger, rejectHandler, stop, eventDispatcher, stopwatch);
                return options.dryRun() ? new DryRun(context).run() : load(context);
            }
        }
    }

    private static void checkVerification(LoadPlan plan) {
        if (!plan.source().readableAgain()) {
            throw new PlanException("verification reads the source a second time, which "
                    + plan.source().name() + " does not allow. Load from a file, or without verification");
        }
        Optional<String> why = plan.target().whyNotVerifiable();
        if (why.isPresent()) {
            throw new PlanException("rows cannot be verified: type=" + plan.target().type() + ", key="
                    + plan.target().options().key() + " (" + why.get() + "). Load without verification.");
        }
    }

    private LoadReport load(LoadContext context) {
        try (RedisClient client = RedisClient.connect(redis)) {
            LoadReport.Server server = ServerFacts.of(client, "server").identity();
            checkServer(client, server, context.plan().target());
            Optional<BucketOptions> bucket = context.plan().target().bucket();
            HashLimits limits = bucket.map(ignored -> HashLimits.of(client)).orElse(HashLimits.NONE);
            Optional<String> warning = bucket.flatMap(limits::check);
            context.events()
                    .dispatch(new LoadEvent.Started(
                            context.plan().source().name(),
                            redis.uri().toString(),
                            ExpectedRows.rows(
                                    context.reader().expectedRows(),
                                    context.plan().options().limit())));
            warn(context, warning);
            boolean imports = context.mapping().hashImport().isPresent() && ServerFacts.hasCommand(client, "HIMPORT");
            RowTransfer.Totals totals = new RowTransfer(context, client, limits.valueBytes(), imports).run();
            context.rejectHandler().close();
            warn(context, limits.ofLongRows(totals.longRows()));
            // Ends the query and the transaction of a database before the rows are read a second time.
            context.reader().close();
            Optional<LoadReport.Verified> verified = verify(context, client);
            return new LoadReport(
                    context.cancelSignal().ending(),
                    context.ledger().counts(),
                    totals.commands(),
                    totals.fusion(),
                    totals.took().seconds(),
                    totals.took().cpuSeconds(),
                    totals.bytesSent(),
                    totals.peakInFlight(),
                    totals.time(),
                    totals.bottleneck(),
                    verified,
                    Optional.of(server),
                    context.mapping().repetition());
        }
    }

    /** Refuses a server that this version or the target cannot use. */
    private void checkServer(RedisClient client, LoadReport.Server server, Target target) {
        if (server.mode().equals("cluster")) {
            throw new PlanException(
                    redis.uri() + " is a node of a cluster, and this version loads single servers only");
        }
        Optional<String> command = target.moduleCommand();
        if (command.isPresent() && !ServerFacts.hasCommand(client, command.get())) {
            throw new PlanException("the server has no " + command.get() + ", or does not allow COMMAND INFO: server="
                    + redis.uri() + ". Load the module, or write the documents as strings.");
        }
    }

    private static void warn(LoadContext context, Optional<String> message) {
        message.ifPresent(text -> context.events().dispatch(new LoadEvent.Warned(text)));
    }

    /** Verifies the load. A stopped load is not verified, because the rows that it did not read cannot be compared. */
    private static Optional<LoadReport.Verified> verify(LoadContext context, RedisClient client) {
        LoadPlan plan = context.plan();
        CancelSignal stop = context.cancelSignal();
        KeySet exempt = context.rejectHandler().rejectedByServer();
        if (plan.options().verify().share() <= 0 || stop.isRaised()) {
            return Optional.empty();
        }
        if (exempt.overflowed()) {
            stop.stop("verification was skipped, because the server refused too many rows to remember them: remembered="
                    + exempt.size() + ". Correct these rows, and load again");
            return Optional.empty();
        }
        Stopwatch verifying = Stopwatch.start();
        try (RowReader secondReader = plan.source().open()) {
            Verifier verifier = new Verifier(plan, secondReader, client, exempt, stop, context.stopwatch());
            try (EventDispatcher.ProgressThread ignored =
                    context.events().startProgress(() -> verifier.progress(verifying.seconds()))) {
                return verifier.run();
            }
        } catch (RuntimeException e) {
            // The rows are already written. An exception would lose the report, so the report contains the failure.
            stop.stop("verification failed: " + e.getMessage());
            return Optional.empty();
        }
    }
}
