// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a flow, with its own thread. It takes tasks, executes them, and settles them. {@link TaskOwnership}
 * describes when the supervisor may stop the worker and take its tasks.
 *
 * <p>Only the thread of the worker accesses the fields, unless the comment of a field names another thread. After the
 * worker was abandoned, the supervisor owns the fields.
 */
final class Worker<T> implements Runnable {

    /**
     * A deadline that never passes. As the time until the next check of a worker, this value means that no check is
     * planned.
     */
    static final long NEVER = Long.MAX_VALUE;

    private final Supervisor<T> supervisor;
    private final Settings settings;
    private final ConsumerCall<T> consumerCall;
    private final int lane;
    private final Counters counters;

    /** Started by the supervisor before any other thread can access this worker. */
    private final Thread thread;

    private final TaskOwnership ownership;

    /** The current tasks. */
    private final List<Entry<T>> current = new ArrayList<>();

    /** Number of current tasks that are settled. */
    private int settled;

    /** Tasks that this worker takes next. Each of them has the same key as a task that this worker has settled. */
    private final Queue<Entry<T>> nextOfKeys = new ArrayDeque<>();

    /**
     * Creates a worker.
     *
     * @param abandoned the worker to replace, whose tasks the new worker settles first; null if no worker is replaced
     */
    Worker(
            Supervisor<T> supervisor,
            Settings settings,
            ConsumerCall<T> consumerCall,
            int lane,
            @Nullable Worker<T> abandoned) {
        this.supervisor = supervisor;
        this.settings = settings;
        this.consumerCall = consumerCall;
        this.lane = lane;
        this.counters = supervisor.stats().newCounters();
        StopReason reason = StopReason.NONE;
        if (abandoned != null) {
            this.current.addAll(abandoned.unsettled());
            this.nextOfKeys.addAll(abandoned.nextOfKeys());
            reason = abandoned.ownership.reason();
        }
        this.thread = settings.thread("consumer", lane, this);
        this.ownership = new TaskOwnership(settings, supervisor::isDropping, thread, reason);
    }

    Thread thread() {
        return thread;
    }

    int lane() {
        return lane;
    }

    @Override
    public void run() {
        supervisor.markOwnThread();
        boolean owned = true;
        try {
            settle(ownership.reason()); // tasks of the replaced worker
            while (owned && takeTasks()) {
                owned = workAndSettle();
            }
        } catch (Throwable e) {
            supervisor.stats().sourceFailed(e, OnStop.DROP); // no worker replaces this one
        } finally {
            if (owned) {
                supervisor.workerEnded();
            } else {
                supervisor.abandonedWorkerEnded();
            }
        }
    }

    private boolean takeTasks() {
        Entry<T> first = nextOfKeys.isEmpty() ? supervisor.backlog().take(lane) : nextOfKeys.poll();
        if (first == null) {
            return false;
        }
        current.add(first);
        if (settings.batching().tasks() > 1) {
            collect(settings.batching());
        }
        return true;
    }

    private void collect(Batching batching) {
        long until = settings.now() + batching.within().toNanos();
        LongSupplier left = () -> until - settings.now();
        while (current.size() < batching.tasks()) {
            Entry<T> next = nextOfKeys.isEmpty() ? supervisor.backlog().take(lane, left) : nextOfKeys.poll();
            if (next == null) {
                return;
            }
            current.add(next);
        }
    }

    /** Executes the current tasks and settles them. Returns false if the worker was abandoned. */
    private boolean workAndSettle() {
        StopReason decision = attempts();
        if (decision == StopReason.ABANDONED) {
            return false;
        }
        settle(decision);
        return true;
    }

    private void settle(StopReason decision) {
        while (settled < current.size()) {
            Entry<T> entry = current.get(settled++);
            supervisor.stats().settle(entry, decision, counters);
            Entry<T> next = supervisor.backlog().nextOfKey(entry);
            if (next != null) {
                nextOfKeys.add(next);
            }
        }
        current.clear();
        settled = 0;
    }

    /**
     * Executes the current tasks. Repeats this for failed tasks, until no task is left to retry or the supervisor stops
     * the work.
     */
    private StopReason attempts() {
        List<Entry<T>> todo = startable();
        ownership.clearDeadline();
        for (int attempt = 1; !todo.isEmpty(); attempt++) {
            StopReason decision = attempt == 1 ? awaitFirstStart(todo.size()) : awaitRetry(attempt, todo.size());
            if (attempt == 1) {
                ownership.startDeadline();
            }
            if (decision == StopReason.NONE) {
                decision = attempt(attempt, todo);
            }
            if (decision != StopReason.NONE) {
                return decision;
            }
            todo = toRetry(attempt, todo);
        }
        return StopReason.NONE;
    }

    /** The current tasks, except tasks that failed before their first attempt. */
    private List<Entry<T>> startable() {
        for (Entry<T> entry : current) {
            if (entry.failure != null) {
                return current.stream().filter(each -> each.failure == null).toList();
            }
        }
        return current;
    }

    private List<Entry<T>> toRetry(int attempt, List<Entry<T>> tried) {
        if (attempt >= settings.retry().attempts()) {
            return List.of();
        }
        List<Entry<T>> retried = new ArrayList<>();
        for (Entry<T> entry : tried) {
            if (entry.failure != null && settings.retry().isRetried(attempt, entry.failure)) {
                entry.earlierFailure = entry.failure;
                entry.failure = null; // not a final failure
                retried.add(entry);
            }
        }
        return retried;
    }

    /**
     * Waits for the rate limit before the first attempt. This wait does not count against the deadline. If the attempt may start
     * now, the thread does not sleep: on a virtual thread, even a sleep of 0 would cost more than most tasks.
     */
    private StopReason awaitFirstStart(int tasks) {
        long wait = supervisor.reserveRate(tasks);
        return wait <= 0 ? StopReason.NONE : await(() -> supervisor.awaitRate(tasks, wait));
    }

    /** Waits for the backoff of a retry, and for the rate limit. */
    private StopReason awaitRetry(int attempt, int tasks) {
        return await(() -> {
            RandomGenerator random = settings.clockAndRandom().random();
            Thread.sleep(Duration.ofNanos(settings.retry().waitNanos(attempt - 1, random)));
            long wait = supervisor.reserveRate(tasks);
            if (wait > 0) {
                supervisor.awaitRate(tasks, wait);
            }
        });
    }

    /** A wait that the supervisor may interrupt. */
    private interface Wait {

        void await() throws InterruptedException;
    }

    private StopReason await(Wait wait) {
        Error error = null;
        ownership.begin();
        try {
            wait.await();
        } catch (InterruptedException e) {
            // If the supervisor interrupted this thread, regain() below returns the reason. Otherwise the interrupt is
            // ignored.
        } catch (Error e) {
            error = e; // there may be no memory for the wait
        }
        StopReason decision = ownership.regain();
        if (error != null && decision != StopReason.ABANDONED) {
            throw error;
        }
        return decision;
    }

    private StopReason attempt(int attempt, List<Entry<T>> todo) {
        for (Entry<T> entry : todo) {
            entry.attempts = attempt;
        }
        ownership.begin();
        if (supervisor.isDropping()) { // after begin(): if the drop follows, the supervisor's next check finds WORKING
            return notStarted(attempt, todo);
        }
        Object performed = null;
        Throwable failure = null;
        try {
            performed = consumerCall.perform(todo);
        } catch (Throwable e) {
            failure = e;
        }
        StopReason decision = ownership.regain();
        if (decision == StopReason.NONE || decision == StopReason.CANCELLED) {
            record(todo, performed, failure, decision);
        }
        return decision;
    }

    private StopReason notStarted(int attempt, List<Entry<T>> todo) {
        StopReason decision = ownership.regain();
        if (decision == StopReason.ABANDONED) {
            return decision;
        }
        for (Entry<T> entry : todo) {
            entry.attempts = attempt - 1;
        }
        return StopReason.CANCELLED;
    }

    /**
     * Records results and failures. If the flow was dropped during the attempt, a task with a result still counts as
     * succeeded, but a task without a result counts as cancelled, not as failed.
     */
    private void record(
            List<Entry<T>> todo, @Nullable Object performed, @Nullable Throwable failure, StopReason decision) {
        if (performed != null) {
            consumerCall.record(todo, performed);
        }
        for (Entry<T> entry : todo) {
            if (decision == StopReason.CANCELLED) {
                entry.failure = null;
            } else if (failure != null) {
                entry.failure = failure;
            }
        }
    }

    // Called by the supervisor.

    /** The ownership of the current tasks. */
    TaskOwnership ownership() {
        return ownership;
    }

    /** The current tasks that are not settled. Called when the worker was abandoned or has ended. */
    List<Entry<T>> unsettled() {
        return current.subList(settled, current.size());
    }

    /** The tasks that this worker would have taken next. Called when the worker was abandoned or has ended. */
    Queue<Entry<T>> nextOfKeys() {
        return nextOfKeys;
    }
}
