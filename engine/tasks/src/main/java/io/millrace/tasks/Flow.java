// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Builds a flow of tasks from their sources through a bounded buffer to consumers, which run at the same time:
 *
 * <pre>{@code
 * FlowReport<Feed> report = Flow.from(pendingFeeds)
 *         .buffer(1_000)
 *         .consumers(100)
 *         .deadline(Duration.ofSeconds(30))
 *         .retry(Retry.of(3).on(IOException.class))
 *         .carryOn()
 *         .run(feed -> refresh(feed));
 * }</pre>
 *
 * <p>Every task that a source has returned ends as one of succeeded, failed, timed out or cancelled; what became of it is told to
 * its source and to the listener, and counted. Memory is bounded: by the buffer, the consumers, and the batch that each source has
 * in hand. Threads are virtual unless told otherwise: one for each source and each consumer; one of the platform watches over them.
 *
 * <p>Used by one thread; started once, for its sources are used up by it.
 *
 * @param <T> a task
 */
public final class Flow<T> {

    private static final Duration MOST = Duration.ofHours(24);

    /** So that sums of weights are never too large for a number. */
    private static final long MOST_WEIGHT = 1L << 60;

    private final List<Source<T>> sources;
    private String name = "tasks";
    private int buffer = 1_000;
    private long weightLimit = Long.MAX_VALUE;
    private ToLongFunction<? super T> weigher = task -> 0;
    private int prefetch = Integer.MAX_VALUE;
    private int consumers = Runtime.getRuntime().availableProcessors();
    private boolean stealing;
    private @Nullable Function<? super T, ?> key;
    private long deadlineNanos = Worker.NEVER;
    private long graceNanos = Duration.ofSeconds(5).toNanos();
    private Retry retry = Retry.NONE;
    private double rate = Double.POSITIVE_INFINITY;
    private boolean carryOn;
    private OnStop onStop = OnStop.DROP;
    private int keptFailures = 100;
    private OutcomeListener<? super T> listener = outcome -> {};
    private ThreadFactory threads = Thread.ofVirtual().factory();
    private boolean started;

    private Flow(List<? extends Source<T>> sources) {
        this.sources = List.copyOf(sources);
        Ranges.check("sources", sources.size(), 1, 1 << 16);
    }

    /** Tasks of one source. */
    public static <T> Flow<T> from(Source<T> source) {
        return from(List.of(source));
    }

    /** Tasks of several sources, 1 to 65,536, each with a thread of its own. */
    public static <T> Flow<T> from(List<? extends Source<T>> sources) {
        return new Flow<>(sources);
    }

    /** These tasks, each handed on as soon as the iterator gives it. */
    public static <T> Flow<T> of(Iterable<? extends T> tasks) {
        return from(tasks instanceof Collection<? extends T> all ? Source.of(all) : Source.of(tasks.iterator()));
    }

    /** What it is called in names of threads, messages and events; by default {@code tasks}. */
    public Flow<T> name(String called) {
        name = Objects.requireNonNull(called, "called");
        return this;
    }

    /**
     * How many tasks may wait for a consumer, 1 to 16,777,216; by default 1,000: enough to keep consumers busy while a source fetches
     * its next batch, little enough to be no burden on memory. With work stealing it is split among the consumers, and is at least one
     * for each. Where results are in order, it is how many may wait, or be results that it is not yet the turn of.
     */
    public Flow<T> buffer(int tasks) {
        Ranges.check("buffer", tasks, 1, 1 << 24);
        buffer = tasks;
        return this;
    }

    /**
     * How much the tasks that wait may weigh together, from 1 to 2^60, and what one weighs, 0 or more, for instance in bytes; by
     * default there is no such limit. A task that weighs more than that waits until it is alone; one whose weight cannot be had has
     * failed.
     */
    public Flow<T> weight(long limit, ToLongFunction<? super T> weightOf) {
        Ranges.check("weight", limit, 1, MOST_WEIGHT);
        weightLimit = limit;
        weigher = Objects.requireNonNull(weightOf, "weightOf");
        return this;
    }

    /**
     * How many batches of a source may be fetched of which the last task was not taken by a consumer, from 1; by default as many as
     * the buffer holds. With 1 a source fetches its next batch when the last task of the one before was taken.
     */
    public Flow<T> prefetch(int batches) {
        Ranges.check("prefetch", batches, 1, Integer.MAX_VALUE);
        prefetch = batches;
        return this;
    }

    /**
     * How many tasks, or batches, are done at once, 1 to 65,536; by default as many as there are processors, which is right for tasks
     * that compute. Those that wait for somebody want more: as many as that somebody can take.
     */
    public Flow<T> consumers(int count) {
        Ranges.check("consumers", count, 1, 1 << 16);
        consumers = count;
        return this;
    }

    /**
     * Gives each consumer a queue of its own, from which the others steal when theirs is empty. Cheaper where tasks are tiny and
     * there are several sources; tasks are then begun in no particular order. By default all share one queue.
     */
    public Flow<T> workStealing() {
        stealing = true;
        return this;
    }

    /**
     * Has tasks of equal keys done one after the other, in the order in which they were produced; those of other keys at the same
     * time. By default all tasks are done at the same time. The key is not null, and does not change while its task is under way; a
     * task whose key cannot be had has failed. What an {@linkplain #grace abandoned} consumer still does, it does beside the next
     * task of its key.
     */
    public Flow<T> oneByOnePer(Function<? super T, ?> keyOf) {
        key = Objects.requireNonNull(keyOf, "keyOf");
        return this;
    }

    /**
     * How long a task may take from when it is begun, retries and the waits between them included, 1 ms to 24 h; by default as
     * long as it likes. One that is late is interrupted and has timed out; what it throws or returns then does not count. A batch has
     * one deadline for all its tasks, from when it is begun, not from when it was collected.
     */
    public Flow<T> deadline(Duration time) {
        Ranges.check("deadline", time, Duration.ofMillis(1), MOST);
        deadlineNanos = time.toNanos();
        return this;
    }

    /**
     * How long to wait for a consumer or source that was interrupted, 1 ms to 24 h; by default 5 s. One that has not returned then is
     * abandoned: its task is settled, another consumer takes its place, and the flow ends without it. The report says how many. When
     * there are more of them than consumers, and more than 16, the flow stops.
     */
    public Flow<T> grace(Duration time) {
        Ranges.check("grace", time, Duration.ofMillis(1), MOST);
        graceNanos = time.toNanos();
        return this;
    }

    /** Which failures are tried again, and how; by default none. Of a batch those are tried again that failed, together. */
    public Flow<T> retry(Retry policy) {
        retry = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /** How many attempts may begin in a second, 0.001 to 1,000,000,000; by default there is no limit. In a batch each task is one. */
    public Flow<T> rate(double attemptsPerSecond) {
        Ranges.check("rate", attemptsPerSecond, 0.001, 1e9);
        rate = attemptsPerSecond;
        return this;
    }

    /**
     * Goes on when a task has failed for good or timed out; by default the flow stops. It stops nevertheless when the JVM says that
     * it cannot go on, as for lack of memory.
     */
    public Flow<T> carryOn() {
        carryOn = true;
        return this;
    }

    /**
     * What is done with the tasks that there are when the flow is to stop, because a task failed, it was cancelled, or its thread was
     * interrupted; by default they are dropped. When a source fails they are done in any case.
     */
    public Flow<T> onStop(OnStop how) {
        onStop = Objects.requireNonNull(how, "how");
        return this;
    }

    /**
     * How many failures of tasks the report keeps, and how many of sources, 0 to 1,000,000; by default 100. The listener is told of
     * every task.
     */
    public Flow<T> keptFailures(int most) {
        Ranges.check("keptFailures", most, 0, 1_000_000);
        keptFailures = most;
        return this;
    }

    /** Who is told what became of each task; by default nobody. */
    public Flow<T> listener(OutcomeListener<? super T> told) {
        listener = Objects.requireNonNull(told, "told");
        return this;
    }

    /** What makes its threads; by default they are virtual. Each source and each consumer needs one at the same time. */
    public Flow<T> threads(ThreadFactory factory) {
        threads = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** Has consumers do several tasks at once. */
    public BatchFlow<T> batches(Batching batching) {
        return new BatchFlow<>(this, batching);
    }

    /**
     * Does all tasks and waits for the end; an interrupt stops the flow, as described at {@link RunningFlow#await()}.
     *
     * @return what became of them; with {@link #carryOn} some may have failed
     * @throws FlowException if a source failed, a task failed without {@link #carryOn}, or this thread was interrupted
     */
    public FlowReport<T> run(TaskConsumer<? super T> work) {
        return start(work).await();
    }

    /** Starts doing all tasks, and does not wait for the end. */
    public RunningFlow<T> start(TaskConsumer<? super T> work) {
        return start(Job.each(done(work)), Batching.of(1));
    }

    /** Starts doing all tasks, and gives their results as they come. */
    public <R> Results<T, R> results(TaskFunction<? super T, R> work) {
        return results(Job.each(work), Batching.of(1));
    }

    /**
     * Starts doing all tasks, and gives their results in the order in which the tasks were produced. There is a place in memory for
     * each that may wait for its turn: {@link #buffer} and what all consumers have in hand.
     */
    public <R> Results<T, R> orderedResults(TaskFunction<? super T, R> work) {
        return orderedResults(Job.each(work), Batching.of(1));
    }

    RunningFlow<T> start(Job<T> job, Batching batching) {
        return new RunningFlow<>(start(job, batching, backlog(buffer, false), Outlet.none()), onStop);
    }

    <R> Results<T, R> results(Job<T> job, Batching batching) {
        var outlet = new UnorderedResults<T, R>(buffer);
        return results(start(job, batching, backlog(buffer, false), outlet), outlet);
    }

    <R> Results<T, R> orderedResults(Job<T> job, Batching batching) {
        if (stealing) {
            throw new IllegalStateException(
                    "results cannot be in order where work is stolen: consumers=" + consumers + ". Leave one of both.");
        }
        int window = (int) Math.min(buffer + (long) consumers * batching.tasks(), 1 << 26);
        Backlog<T> backlog = backlog(window, true);
        var outlet = new OrderedResults<T, R>(backlog, window);
        return results(start(job, batching, backlog, outlet), outlet);
    }

    private <R> Results<T, R> results(Supervisor<T> supervisor, ResultOutlet<T, R> outlet) {
        return new Results<>(supervisor, outlet, new RunningFlow<>(supervisor, onStop));
    }

    private static <T> TaskFunction<T, Job.Done> done(TaskConsumer<? super T> work) {
        return task -> {
            work.accept(task);
            return Job.Done.DONE;
        };
    }

    private Backlog<T> backlog(int roomForTasks, boolean ordered) {
        boolean roomNeeded = ordered || key != null || weightLimit != Long.MAX_VALUE;
        Buffer<Entry<T>> tasks = new Buffer<>(buffer, stealing ? consumers : 1);
        return new Backlog<>(
                tasks,
                roomNeeded ? new Room(roomForTasks, weightLimit, tasks::wakeTakers) : null,
                key == null ? null : new KeyOrder<>(),
                ordered);
    }

    private Supervisor<T> start(Job<T> job, Batching batching, Backlog<T> backlog, Outlet<T> outlet) {
        if (started) {
            throw new IllegalStateException(
                    "flow was started before: name=" + name + ". Its sources are used up: make another.");
        }
        if (batching.weight() != Long.MAX_VALUE && weightLimit == Long.MAX_VALUE) {
            throw new IllegalStateException("a batch is limited by weight and tasks weigh nothing: name=" + name
                    + ". Say what a task weighs, by weight().");
        }
        started = true;
        Settings settings = new Settings(
                name,
                consumers,
                batching,
                deadlineNanos,
                graceNanos,
                retry,
                rate,
                carryOn,
                onStop,
                keptFailures,
                threads);
        Supervisor<T> supervisor = new Supervisor<>(
                settings,
                backlog,
                outlet,
                job,
                listener,
                sources,
                (flow, source, number) -> new Feed<>(flow, source, weigher, keyOf(), prefetch, number));
        supervisor.start();
        return supervisor;
    }

    private Feed.KeyOf<T> keyOf() {
        Function<? super T, ?> chosen = key;
        return chosen == null
                ? task -> null
                : task -> Objects.requireNonNull(chosen.apply(task), "the key of a task is null");
    }
}
