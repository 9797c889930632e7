// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a task flow: sources produce tasks, a bounded buffer holds them, and concurrent consumers execute them.
 *
 * <pre>{@code
 * TaskFlowReport<Feed> report = TaskFlow.from(pendingFeeds)
 *         .buffer(1_000)
 *         .consumers(100)
 *         .deadline(Duration.ofSeconds(30))
 *         .retry(Retry.of(3).on(IOException.class))
 *         .continueOnFailure()
 *         .run(feed -> refresh(feed));
 * }</pre>
 *
 * <p>Every produced task ends with exactly one outcome: succeeded, failed, timed out or cancelled. The flow counts the
 * outcome and reports it to the task's source and to the listener. Memory is bounded by the buffer, the number of
 * consumers, and the size of one batch per source. Each source and each consumer has a thread, which is virtual by
 * default. One platform thread supervises the flow.
 *
 * <p>Only one thread may use a builder. A builder can start only one flow, because the flow uses up the sources.
 *
 * @param <T> type of a task
 */
public final class TaskFlow<T> {

    private static final Duration MAX_TIME = Duration.ofHours(24);

    private final List<Source<T>> sources;
    private String name = "tasks";
    private int buffer = 1_000;
    private int prefetch = Integer.MAX_VALUE;
    private int consumers = Runtime.getRuntime().availableProcessors();
    private boolean stealing;
    private @Nullable Function<? super T, ?> key;
    private long deadlineNanos = Worker.NEVER;
    private long graceNanos = Duration.ofSeconds(5).toNanos();
    private Retry retry = Retry.NONE;
    private double rate = Double.POSITIVE_INFINITY;
    private boolean continueOnFailure;
    private OnStop onStop = OnStop.DROP;
    private int recordedFailures = 100;
    private OutcomeListener<? super T> listener = outcome -> {};
    private ThreadFactory threads = Thread.ofVirtual().factory();
    private ClockAndRandom clockAndRandom = ClockAndRandom.SYSTEM;
    private boolean started;

    private TaskFlow(List<? extends Source<T>> sources) {
        this.sources = List.copyOf(sources);
        RangeChecks.check("sources", sources.size(), 1, 1 << 16);
    }

    /** Creates a flow with one source. */
    public static <T> TaskFlow<T> from(Source<T> source) {
        return from(List.of(source));
    }

    /** Creates a flow with 1 to 65,536 sources. Each source gets its own thread. */
    public static <T> TaskFlow<T> from(List<? extends Source<T>> sources) {
        return new TaskFlow<>(sources);
    }

    /**
     * Creates a flow over {@code tasks}. The elements of an iterable that is not a collection are passed on one by one.
     */
    public static <T> TaskFlow<T> of(Iterable<? extends T> tasks) {
        return from(tasks instanceof Collection<? extends T> all ? Source.of(all) : Source.of(tasks.iterator()));
    }

    /** Sets the name of the flow in thread names, messages and events; {@code tasks} by default. */
    public TaskFlow<T> name(String flowName) {
        name = Objects.requireNonNull(flowName, "flowName");
        return this;
    }

    /**
     * Sets the maximum number of tasks that wait for a consumer, 1 to 16,777,216. The default of 1,000 keeps consumers
     * busy while a source fetches its next batch, and uses little memory. With work stealing, each consumer has an
     * equal part of the buffer, with space for at least one task. With ordered results, the limit also covers results
     * that the reader has not taken.
     */
    public TaskFlow<T> buffer(int tasks) {
        RangeChecks.check("buffer", tasks, 1, 1 << 24);
        buffer = tasks;
        return this;
    }

    /**
     * Sets how many batches of each source may be fetched in advance, at least 1. A batch counts until consumers have
     * taken its last task. By default only the buffer limits prefetching. With 1, a source fetches its next batch when
     * a consumer has taken the last task of the previous batch.
     */
    public TaskFlow<T> prefetch(int batches) {
        RangeChecks.check("prefetch", batches, 1, Integer.MAX_VALUE);
        prefetch = batches;
        return this;
    }

    /**
     * Sets the number of tasks, or batches, that run concurrently, 1 to 65,536. The default is the number of
     * processors, which suits tasks that compute. For tasks that wait for another system, use the number of concurrent
     * requests which that system can handle.
     */
    public TaskFlow<T> consumers(int count) {
        RangeChecks.check("consumers", count, 1, 1 << 16);
        consumers = count;
        return this;
    }

    /**
     * Gives each consumer its own queue; a consumer with an empty queue steals from the others. Work stealing is
     * cheaper for very small tasks from several sources, but tasks start in no defined order. By default all consumers
     * share one queue.
     */
    public TaskFlow<T> workStealing() {
        stealing = true;
        return this;
    }

    /**
     * Runs tasks with equal keys one at a time, in the order of production. Tasks with different keys run concurrently.
     * By default all tasks run concurrently. A key must not be null and must not change while its task is pending. A
     * task fails if its key cannot be computed. If a consumer was {@linkplain #grace abandoned}, its task may still run
     * at the same time as the next task of the key.
     */
    public TaskFlow<T> sequentialPer(Function<? super T, ?> keyOf) {
        key = Objects.requireNonNull(keyOf, "keyOf");
        return this;
    }

    /**
     * Sets the time limit of a task, 1 ms to 24 h; no limit by default. The time starts with the first attempt and
     * includes retries and the waits between them. A late task is interrupted and ends as timed out; its result or
     * exception is then ignored. All tasks of a batch have one common deadline. Its time starts with the execution of
     * the batch; the time in which a consumer collected the batch does not count.
     */
    public TaskFlow<T> deadline(Duration time) {
        RangeChecks.check("deadline", time, Duration.ofMillis(1), MAX_TIME);
        deadlineNanos = time.toNanos();
        return this;
    }

    /**
     * Sets how long the flow waits for a consumer or source to return after an interrupt, 1 ms to 24 h; 5 s by default.
     * After this time the flow abandons the thread. The flow settles the task of an abandoned consumer, starts another
     * consumer, and can end while the abandoned thread still runs. The report has the number of abandoned threads. The
     * flow stops if too many abandoned consumers still run: more than 16, and also more than the number of {@link
     * #consumers}.
     */
    public TaskFlow<T> grace(Duration time) {
        RangeChecks.check("grace", time, Duration.ofMillis(1), MAX_TIME);
        graceNanos = time.toNanos();
        return this;
    }

    /**
     * Sets which failures are retried, and when. By default no failure is retried. The failed tasks of a batch are
     * retried together.
     */
    public TaskFlow<T> retry(Retry policy) {
        retry = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Limits the number of attempts per second, 0.001 to 1,000,000,000; no limit by default. Each task of a batch
     * counts as an attempt.
     */
    public TaskFlow<T> rate(double attemptsPerSecond) {
        RangeChecks.check("rate", attemptsPerSecond, 0.001, 1e9);
        rate = attemptsPerSecond;
        return this;
    }

    /**
     * Makes the flow continue when a task has failed after its last attempt, or has timed out. By default the flow then
     * stops. The flow always stops on an error after which the JVM cannot continue, such as an out-of-memory error.
     */
    public TaskFlow<T> continueOnFailure() {
        continueOnFailure = true;
        return this;
    }

    /**
     * Sets how the flow stops after the failure of a task, after a cancellation, or after an interrupt of the thread
     * that waits for the flow. By default the flow drops the remaining tasks. When {@link Source#next} fails, the flow
     * always executes the remaining tasks.
     */
    public TaskFlow<T> onStop(OnStop mode) {
        onStop = Objects.requireNonNull(mode, "mode");
        return this;
    }

    /**
     * Sets the maximum number of task failures in the report, and the maximum number of source failures in the report,
     * 0 to 1,000,000; 100 each by default. The listener receives the outcome of every task, without a limit.
     */
    public TaskFlow<T> recordedFailures(int max) {
        RangeChecks.check("recordedFailures", max, 0, 1_000_000);
        recordedFailures = max;
        return this;
    }

    /** Sets the listener that receives the outcome of each task; none by default. */
    public TaskFlow<T> listener(OutcomeListener<? super T> outcomeListener) {
        listener = Objects.requireNonNull(outcomeListener, "outcomeListener");
        return this;
    }

    /**
     * Sets the thread factory; virtual threads by default. The flow needs one thread for each source and each consumer
     * at the same time.
     */
    public TaskFlow<T> threads(ThreadFactory factory) {
        threads = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** For tests: replaces the clock and the random generator. */
    TaskFlow<T> clockAndRandom(ClockAndRandom replacement) {
        clockAndRandom = replacement;
        return this;
    }

    /** Makes each consumer execute several tasks with one call of the user's code. */
    public BatchTaskFlow<T> batches(Batching batching) {
        return new BatchTaskFlow<>(this, batching);
    }

    /**
     * Executes all tasks and waits for the end. An interrupt stops the flow, as described at {@link
     * RunningTaskFlow#await()}.
     *
     * @return the report with the outcomes; with {@link #continueOnFailure} some tasks may have failed
     * @throws TaskFlowException if a source failed, if a task failed without {@link #continueOnFailure}, or if this
     *     thread was interrupted
     */
    public TaskFlowReport<T> run(TaskConsumer<? super T> work) {
        return start(work).await();
    }

    /** Starts the flow and returns without waiting for its end. */
    public RunningTaskFlow<T> start(TaskConsumer<? super T> work) {
        return start(ConsumerCall.each(withoutResult(work)), Batching.of(1));
    }

    /** Starts the flow and returns its results in the order of completion. */
    public <R> Results<T, R> results(TaskFunction<? super T, R> work) {
        return results(ConsumerCall.each(work), Batching.of(1));
    }

    /**
     * Starts the flow and returns its results in the order in which the tasks were produced. A result waits in a slot
     * until all earlier results were taken. The flow allocates all slots at its start: {@link #buffer} slots, plus one
     * slot for each task that the consumers can execute at the same time.
     */
    public <R> Results<T, R> orderedResults(TaskFunction<? super T, R> work) {
        return orderedResults(ConsumerCall.each(work), Batching.of(1));
    }

    RunningTaskFlow<T> start(ConsumerCall<T> consumerCall, Batching batching) {
        return new RunningTaskFlow<>(start(consumerCall, batching, backlog(buffer, false), ResultSink.none()), onStop);
    }

    <R> Results<T, R> results(ConsumerCall<T> consumerCall, Batching batching) {
        var resultQueue = new UnorderedResults<T, R>(buffer);
        return results(start(consumerCall, batching, backlog(buffer, false), resultQueue), resultQueue);
    }

    <R> Results<T, R> orderedResults(ConsumerCall<T> consumerCall, Batching batching) {
        if (stealing) {
            throw new IllegalStateException("ordered results are not available with work stealing: consumers="
                    + consumers + ". Choose ordered results or work stealing.");
        }
        int window = (int) Math.min(buffer + (long) consumers * batching.tasks(), 1 << 26);
        Backlog<T> backlog = backlog(window, true);
        var resultQueue = new OrderedResults<T, R>(backlog, window);
        return results(start(consumerCall, batching, backlog, resultQueue), resultQueue);
    }

    private <R> Results<T, R> results(Supervisor<T> supervisor, ResultQueue<T, R> resultQueue) {
        return new Results<>(supervisor, resultQueue, new RunningTaskFlow<>(supervisor, onStop));
    }

    private static <T> TaskFunction<T, ConsumerCall.Done> withoutResult(TaskConsumer<? super T> work) {
        return task -> {
            work.accept(task);
            return ConsumerCall.Done.DONE;
        };
    }

    private Backlog<T> backlog(int capacity, boolean ordered) {
        boolean limited = ordered || key != null;
        Buffer<Entry<T>> tasks = new Buffer<>(buffer, stealing ? consumers : 1);
        return new Backlog<>(
                tasks,
                limited ? new CapacityLimit(capacity, tasks::wakeTakers) : null,
                key == null ? null : new KeyOrder<>(),
                ordered);
    }

    private Supervisor<T> start(
            ConsumerCall<T> consumerCall, Batching batching, Backlog<T> backlog, ResultSink<T> resultQueue) {
        if (started) {
            throw new IllegalStateException(
                    "flow was already started: name=" + name + ". Its sources are used up: create a new flow.");
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
                continueOnFailure,
                onStop,
                recordedFailures,
                threads,
                clockAndRandom);
        Supervisor<T> supervisor = new Supervisor<>(
                settings,
                backlog,
                resultQueue,
                consumerCall,
                listener,
                sources,
                (flow, source, number) -> new Producer<>(flow, source, keyOf(), prefetch, number));
        supervisor.start();
        return supervisor;
    }

    private Producer.KeyFunction<T> keyOf() {
        Function<? super T, ?> keyFunction = key;
        return keyFunction == null
                ? task -> null
                : task -> Objects.requireNonNull(keyFunction.apply(task), "the key of a task is null");
    }
}
