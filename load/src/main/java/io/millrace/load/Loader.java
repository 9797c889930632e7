// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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

    /** Age of the rows of a verification without a load: the age is unknown, so an expiring key may have expired. */
    private static final Duration UNKNOWN_AGE = Duration.ofDays(36_500);

    private final ClientOptions redis;
    private final LoaderClient connection;
    private final CheckpointStep.Listener steps;
    private final AtomicReference<@Nullable CancelSignal> running = new AtomicReference<>();

    /** Runs a job whose source is open. */
    private interface Work {
        LoadReport run(LoadContext context, @Nullable DifferencesFile differences);
    }

    /** Creates a loader for the server of {@code redis}. Each run opens its own connections. */
    public Loader(ClientOptions redis) {
        this(redis, CheckpointStep.Listener.NONE);
    }

    /** Creates a loader that borrows {@code client} and never closes it. Only its bulk connections belong to a run. */
    public Loader(RedisClient client) {
        this(new LoaderClient(client.options(), client), CheckpointStep.Listener.NONE);
    }

    /** Creates a loader that reports its steps, for tests. */
    Loader(ClientOptions redis, CheckpointStep.Listener steps) {
        this(new LoaderClient(redis, null), steps);
    }

    private Loader(LoaderClient connection, CheckpointStep.Listener steps) {
        this.redis = connection.options();
        this.connection = connection;
        this.steps = steps;
    }

    /**
     * Runs {@code plan} on the calling thread and returns its report. Blocks until the load has ended. After the first
     * row has been sent, this method reports a failure in the report, and throws no exception. An interrupt of the
     * calling thread stops the load.
     *
     * @param events listener; receives one event at a time, on this thread and on the progress thread of the load. The
     *     listener must not throw: its exception would end the load, and this method would throw the exception instead of
     *     returning a report
     * @throws PlanException if the plan does not fit its source or this server; nothing was written
     * @throws io.millrace.load.source.SourceException if the source cannot be opened; nothing was written
     * @throws io.millrace.client.exception.RedisException if Redis cannot be reached; nothing was written
     * @throws IllegalStateException if this loader already runs a load
     */
    public LoadReport run(LoadPlan plan, Consumer<LoadEvent> events) {
        Job job = Job.of(plan, redis.uri());
        CheckpointedRows.check(plan);
        if (plan.options().verify().share() > 0 && !plan.source().readableAgain()) {
            throw new PlanException("verification reads the source a second time, which "
                    + plan.source().name() + " does not allow. Load from a file, or without verification");
        }
        if (plan.options().verify().share() > 0) {
            PlanChecks.checkVerifiable(plan.target());
        }
        if (plan.options().differences().isPresent() && plan.options().verify().share() <= 0) {
            throw new PlanException("a differences file needs a verification: differences="
                    + plan.options().differences().get() + ". Verify a share of the rows");
        }
        if (plan.options().dryRun()) {
            return run(plan, Optional.empty(), job, events, (context, differences) -> new DryRun(context, job).run());
        }
        plan.options().reload().ifPresent(reload -> PlanChecks.checkReload(plan, reload, redis.uri()));
        Optional<JobKeys> keys = plan.options().reload().map(reload -> JobKeys.ofNewRun(reload.job()));
        return run(shadowed(plan, keys), keys, job, events, (context, differences) -> load(context, job, differences));
    }

    /**
     * Compares the rows of {@code plan} with Redis, without writing them. Compares the share of the rows that the options
     * name. The rows of the report are skipped, or rejected if they cannot be compared. The age of the keys is unknown.
     * So if the target has an expiry, a key that does not exist counts as expired, and not as a difference.
     *
     * <p>Otherwise this method behaves like {@link #run(LoadPlan, Consumer)}.
     *
     * @throws IllegalArgumentException if the options name no share
     */
    public LoadReport verify(LoadPlan plan, Consumer<LoadEvent> events) {
        return verify(plan, UNKNOWN_AGE, events);
    }

    /**
     * Compares rows of a known age with Redis. A key that does not exist is a difference, unless its expiry may have
     * passed. Otherwise this method behaves like {@link #verify(LoadPlan, Consumer)}.
     *
     * @param age the longest time between the write of a row and the start of the verification
     */
    public LoadReport verify(LoadPlan plan, Duration age, Consumer<LoadEvent> events) {
        if (plan.options().verify().share() <= 0) {
            throw new IllegalArgumentException("verify.share=0; it must be above 0 and at most 1");
        }
        PlanChecks.checkVerifiable(plan.target());
        Job job = Job.of(Job.Kind.VERIFICATION, plan, redis.uri());
        return run(
                plan, Optional.empty(), job, events, (context, differences) -> compare(context, job, age, differences));
    }

    /** The plan whose rows are written to shadow keys, if its options ask for a swap. */
    private static LoadPlan shadowed(LoadPlan plan, Optional<JobKeys> keys) {
        boolean swap = plan.options().reload().map(Reload::swap).orElse(false);
        return swap
                ? new LoadPlan(plan.source(), new ShadowTarget(plan.target(), keys.orElseThrow()), plan.options())
                : plan;
    }

    private LoadReport run(LoadPlan plan, Optional<JobKeys> keys, Job job, Consumer<LoadEvent> events, Work work) {
        CancelSignal stop = new CancelSignal();
        if (!running.compareAndSet(null, stop)) {
            throw new IllegalStateException(
                    "this loader already runs a load. Wait for the end of the load, or use another loader.");
        }
        try {
            EventDispatcher dispatcher = new EventDispatcher(events);
            LoadReport report = runOrInterrupt(plan, keys, job, dispatcher, stop, work);
            dispatcher.dispatch(new LoadEvent.Finished(report));
            return report;
        } finally {
            running.set(null);
        }
    }

    /**
     * Stops a running load. The load reads no further row, waits for the commands in flight, and returns its report.
     * This method does not wait for the end of the load. Any thread may call this method. If the reader waits for its
     * source, this method wakes the reader with {@link RowReader#cancel}. If the load is still opening its source, this
     * method cancels the opening where the source permits this.
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

    private LoadReport runOrInterrupt(
            LoadPlan plan, Optional<JobKeys> keys, Job job, EventDispatcher events, CancelSignal stop, Work work) {
        Stopwatch stopwatch = Stopwatch.start();
        try {
            return open(plan, keys, events, stop, stopwatch, work);
        } catch (SourceException | RedisException e) {
            // These exceptions are thrown only before the first row. A stop may be their cause.
            if (!stop.isRaised()) {
                throw e;
            }
            return LoadReport.withoutResult(stop.ending(), job, new RowCounts(0, 0, 0, 0, 0), stopwatch.seconds());
        }
    }

    private static LoadReport open(
            LoadPlan plan,
            Optional<JobKeys> keys,
            EventDispatcher events,
            CancelSignal stop,
            Stopwatch stopwatch,
            Work work) {
        LoadOptions options = plan.options();
        try (RowReader reader = open(plan.source(), stop)) {
            RowMapping mapping = plan.target().bind(reader.columns());
            try (RejectsFile rejects = options.rejects()
                            .map(path ->
                                    RejectsFile.open(path, plan.source().name(), reader.columns(), continues(options)))
                            .orElse(null);
                    DifferencesFile differences =
                            options.differences().map(DifferencesFile::open).orElse(null)) {
                Ledger ledger = new Ledger();
                RowMapping answers = plan.target().bind(reader.columns());
                RejectHandler rejectHandler = new RejectHandler(options, ledger, stop, events, answers, rejects);
                LoadContext context = new LoadContext(
                        plan,
                        reader,
                        mapping,
                        ledger,
                        rejectHandler,
                        stop,
                        events,
                        stopwatch,
                        new DistinctKeys(),
                        keys);
                return work.run(context, differences);
            }
        }
    }

    private static boolean continues(LoadOptions options) {
        return options.checkpoint().map(CheckpointOptions::resume).orElse(false);
    }

    /** Opens the source. A stop of the load cancels the opening. */
    static RowReader open(RowSource source, CancelSignal stop) {
        List<CancelActions.Registration> registered = new ArrayList<>();
        try {
            return source.open(cancel -> registered.add(stop.onInterrupt(cancel)));
        } finally {
            registered.forEach(CancelActions.Registration::close);
        }
    }

    private LoadReport load(LoadContext context, Job job, @Nullable DifferencesFile differences) {
        LoadPlan plan = context.plan();
        try (LoaderClient.OfRun opened = connection.open()) {
            RedisClient client = opened.client();
            ControlCalls calls = ControlCalls.of(client, plan.options(), context.cancelSignal());
            Examined examined = examined(calls, context);
            dispatchStarted(context, job);
            examined.warning().ifPresent(context.events()::warn);
            ServerFacts facts = examined.facts();
            try (ReloadRun reload = context.jobKeys()
                    .map(keys -> ReloadRun.begin(context, keys, calls, facts.runId()))
                    .orElse(null)) {
                return new ConnectedLoad(
                                redis,
                                client,
                                facts,
                                facts.identity(),
                                examined.limits(),
                                context,
                                job,
                                differences,
                                steps)
                        .run(reload);
            }
        }
    }

    /** What a load knows about its server before the first row. */
    private record Examined(ServerFacts facts, HashLimits limits, Optional<String> warning) {}

    /** Refuses a server that cannot store the rows. Blocks at most as long as the load is patient. */
    private Examined examined(ControlCalls calls, LoadContext context) {
        Target target = context.plan().target();
        ServerFacts facts = ServerFacts.of(calls, "server");
        PlanChecks.checkMode(facts.identity(), redis.uri());
        checkModule(calls, target);
        checkExpiry(calls, context);
        Optional<BucketOptions> bucket = target.bucket();
        HashLimits limits = bucket.map(unused -> HashLimits.of(calls)).orElse(HashLimits.NONE);
        return new Examined(facts, limits, bucket.flatMap(limits::check));
    }

    /** Refuses a server that lacks the module of the target. */
    private void checkModule(ControlCalls calls, Target target) {
        Optional<String> command = target.moduleCommand();
        if (command.isPresent() && !ServerFacts.hasCommand(calls, command.get())) {
            throw new PlanException("the server has no " + command.get() + ", or does not allow COMMAND INFO: server="
                    + redis.uri() + ". Load the module, or write the documents as strings.");
        }
    }

    /**
     * Refuses a user who may run scripts but may not set an expiry. The scripts of the rows write first, so each row
     * would leave a key without its expiry.
     */
    private static void checkExpiry(ControlCalls calls, LoadContext context) {
        TargetOptions options = context.plan().target().options();
        boolean expires = options.ttl().isPresent() || options.ttlField().isPresent();
        if (!expires || !context.mapping().fusion().contains(Fusion.SCRIPT)) {
            return;
        }
        try {
            var unused = calls.call(Command.of("PEXPIRE", "millrace:probe:" + UUID.randomUUID(), "1"));
        } catch (ErrorReplyException e) {
            if (ServerError.of(e) == ServerError.COMMAND_REFUSED) {
                throw new PlanException(
                        "the user may not set the expiry of a key: "
                                + ServerError.sentence(ServerError.reply(e).message())
                                + " Permit PEXPIRE for this user, or load without an expiry.",
                        e);
            }
            // Other errors do not concern the command: the user may have no permission for the probed key.
        }
    }

    private void dispatchStarted(LoadContext context, Job job) {
        context.events()
                .dispatch(new LoadEvent.Started(
                        job.kind(),
                        context.plan().source().name(),
                        redis.uri().toString(),
                        ExpectedRows.rows(
                                context.reader().expectedRows(),
                                context.plan().options().limit())));
    }

    /** A verification without a load. It counts the rows that it reads. */
    private static Verifier verifier(LoadContext context, RedisClient client, ServerFacts facts, Duration age) {
        return new Verifier(
                context.plan(),
                context.reader(),
                client,
                new KeySet(0, 0),
                context.cancelSignal(),
                Recovery.ofVerification(context, facts.runId()),
                () -> age.plusNanos(context.stopwatch().nanos()),
                (row, rejection) -> {
                    context.ledger().read();
                    rejection.ifPresentOrElse(
                            why -> context.rejectHandler().rejectUnsent(row, why),
                            () -> context.ledger().skipped());
                });
    }

    private ServerFacts factsOfVerified(RedisClient client, LoadContext context) {
        ControlCalls calls = ControlCalls.of(client, context.plan().options(), context.cancelSignal());
        ServerFacts facts = ServerFacts.of(calls, "server");
        PlanChecks.checkMode(facts.identity(), redis.uri());
        return facts;
    }

    private LoadReport compare(LoadContext context, Job job, Duration age, @Nullable DifferencesFile differences) {
        context.cancelSignal().verificationBegins();
        try (LoaderClient.OfRun opened = connection.open()) {
            RedisClient client = opened.client();
            ServerFacts facts = factsOfVerified(client, context);
            dispatchStarted(context, job);
            Verifier verifier = verifier(context, client, facts, age);
            Optional<LoadReport.Verified> verified = ConnectedLoad.verify(verifier, context, differences);
            context.rejectHandler().close(context.repetition());
            double seconds = context.stopwatch().seconds();
            Verifier.Cost cost = verifier.cost();
            return new LoadReport(
                    context.cancelSignal().ending(),
                    job,
                    context.ledger().counts(),
                    cost.writers().commands(),
                    cost.writers().fusion(),
                    seconds,
                    context.stopwatch().times().cpuSeconds(),
                    cost.writers().traffic().bytesSent(),
                    cost.writers().traffic().peakInFlight(),
                    cost.time(),
                    RowTransfer.bottleneck(cost.time(), 0, 1),
                    verified,
                    Optional.of(facts.identity()),
                    context.details().withNodes(cost.writers().nodes()));
        }
    }
}
