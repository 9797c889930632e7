// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * A worker takes tasks into its hands, attempts them, and settles them. Whose the hands are is said by one atomic state, so that a
 * deadline, a stop and the end of the work can come at the same moment, an interrupt never reaches the wrong task, and each task is
 * settled once:
 *
 *     IDLE --begin--> WORKING --returned-----------------------> IDLE          the hands are the worker's
 *                        |
 *                        +--supervisor: late, or to stop--> STOPPING --interrupted--> STOPPED --returned--> IDLE
 *                                                                                       |
 *                                                      supervisor, after the grace ---> ABANDONED
 *
 * Only the supervisor leads to STOPPING, STOPPED and ABANDONED. A worker that returns while it is STOPPING waits for the interrupt,
 * which is on its way, and clears it. One that finds itself ABANDONED ends and touches nothing: its hands are the supervisor's, and
 * another worker has its place.
 *
 * Fields without a comment of their own are of the worker's thread, until it is abandoned; the state hands them over.
 */

/** One consumer of a flow, with a thread of its own. */
final class Worker<T> implements Runnable {

    /** What the supervisor has to say about the tasks in hand. */
    enum Verdict {
        NONE,
        TIMED_OUT,
        CANCELLED,
        /** They are in hand no more. */
        TAKEN_AWAY
    }

    // The states: numbers, for the sake of the garbage collector, which takes note of each reference that is written.
    private static final int IDLE = 0;
    private static final int WORKING = 1;
    private static final int STOPPING = 2;
    private static final int STOPPED = 3;
    private static final int ABANDONED = 4;

    /** Nothing to be looked at before somebody says so. */
    static final long NEVER = Long.MAX_VALUE;

    private final Supervisor<T> supervisor;
    private final Settings settings;
    private final Job<T> job;
    private final int lane;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private final Tally tally;

    /** Started by the supervisor, before anybody else can see it. */
    private final Thread thread;

    /** What is being done. */
    private final List<Entry<T>> hands = new ArrayList<>();

    /** How many of them are settled. */
    private int settled;

    /** What is to be taken next: of the keys whose last task was settled here. */
    private final Queue<Entry<T>> following = new ArrayDeque<>();

    private long deadline;

    /** Of the supervisor, handed over by STOPPED. */
    private Verdict verdict = Verdict.NONE;

    private long stoppedAt;

    /**
     * A worker.
     *
     * @param abandoned whose place it takes: it settles what that one had in its hands before it takes anything else
     */
    Worker(Supervisor<T> supervisor, Settings settings, Job<T> job, int lane, @Nullable Worker<T> abandoned) {
        this.supervisor = supervisor;
        this.settings = settings;
        this.job = job;
        this.lane = lane;
        this.tally = supervisor.account().newTally();
        if (abandoned != null) {
            this.hands.addAll(abandoned.unsettled());
            this.following.addAll(abandoned.following());
            this.verdict = abandoned.verdict;
        }
        this.thread = settings.thread("consumer", lane, this);
    }

    Thread thread() {
        return thread;
    }

    int lane() {
        return lane;
    }

    @Override
    public void run() {
        supervisor.own();
        boolean mine = true;
        try {
            settle(verdict); // of the one whose place it takes
            while (mine && fillHands()) {
                mine = workAndSettle();
            }
        } catch (Throwable e) {
            supervisor.account().fault(e, OnStop.DROP); // nobody takes its place
        } finally {
            if (mine) {
                supervisor.workerEnded();
            } else {
                supervisor.abandonedWorkerEnded();
            }
        }
    }

    private boolean fillHands() {
        Entry<T> first = following.isEmpty() ? supervisor.backlog().take(lane) : following.poll();
        if (first == null) {
            return false;
        }
        hands.add(first);
        if (settings.batching().tasks() > 1) {
            collect(settings.batching(), first.weight);
        }
        return true;
    }

    private void collect(Batching batching, long firstWeight) {
        long until = System.nanoTime() + batching.within().toNanos();
        long weight = firstWeight;
        while (hands.size() < batching.tasks() && weight < batching.weight()) {
            Entry<T> next =
                    following.isEmpty() ? supervisor.backlog().take(lane, until - System.nanoTime()) : following.poll();
            if (next == null) {
                return;
            }
            hands.add(next);
            weight += Math.min(next.weight, batching.weight()); // never too large for a long
        }
    }

    /** Whether the worker is still one. */
    private boolean workAndSettle() {
        Verdict said = attempts();
        if (said == Verdict.TAKEN_AWAY) {
            return false;
        }
        settle(said);
        return true;
    }

    private void settle(Verdict said) {
        while (settled < hands.size()) {
            Entry<T> entry = hands.get(settled++);
            supervisor.account().settle(entry, said, tally);
            Entry<T> next = supervisor.backlog().following(entry);
            if (next != null) {
                following.add(next);
            }
        }
        hands.clear();
        settled = 0;
    }

    /** Attempts what is in hand until nothing is left to be tried again, or the supervisor ends it. */
    private Verdict attempts() {
        List<Entry<T>> todo = hopeful();
        deadline = NEVER;
        for (int attempt = 1; !todo.isEmpty(); attempt++) {
            Verdict said = awaitTurn(attempt, todo.size());
            if (attempt == 1) {
                setDeadline();
            }
            if (said == Verdict.NONE) {
                said = attempt(attempt, todo);
            }
            if (said != Verdict.NONE) {
                return said;
            }
            todo = triedAgain(attempt, todo);
        }
        return Verdict.NONE;
    }

    /** What is in hand, without those that have failed before they are begun. */
    private List<Entry<T>> hopeful() {
        for (Entry<T> entry : hands) {
            if (entry.failure != null) {
                return hands.stream().filter(one -> one.failure == null).toList();
            }
        }
        return hands;
    }

    private void setDeadline() {
        if (settings.deadlineNanos() != NEVER) {
            deadline = System.nanoTime() + settings.deadlineNanos();
        }
    }

    private List<Entry<T>> triedAgain(int attempt, List<Entry<T>> tried) {
        if (attempt >= settings.retry().attempts()) {
            return List.of();
        }
        List<Entry<T>> again = new ArrayList<>();
        for (Entry<T> entry : tried) {
            if (entry.failure != null && settings.retry().again(attempt, entry.failure)) {
                entry.earlierFailure = entry.failure;
                entry.failure = null; // it has not failed yet
                again.add(entry);
            }
        }
        return again;
    }

    /** Waits as long as the retry and the rate ask for. The wait for the first attempt's rate is before its deadline begins. */
    private Verdict awaitTurn(int attempt, int tasks) {
        if (attempt == 1 && settings.hasNoRate()) {
            return Verdict.NONE;
        }
        Error broken = null;
        begin();
        try {
            if (attempt > 1) {
                Thread.sleep(Duration.ofNanos(settings.retry().waitNanos(attempt - 1, ThreadLocalRandom.current())));
            }
            supervisor.awaitPace(tasks);
        } catch (InterruptedException e) {
            // By the supervisor, who says why; from anybody else it has no meaning here.
        } catch (Error e) {
            broken = e; // there may be no memory to wait
        }
        Verdict said = takeBack();
        if (broken != null && said != Verdict.TAKEN_AWAY) {
            throw broken;
        }
        return said;
    }

    private Verdict attempt(int attempt, List<Entry<T>> todo) {
        for (Entry<T> entry : todo) {
            entry.attempts = attempt;
        }
        begin();
        if (supervisor.isDropping()) { // or else the supervisor sees the state, the next time it looks
            return notBegun(attempt, todo);
        }
        Object performed = null;
        Throwable failure = null;
        try {
            performed = job.perform(todo);
        } catch (Throwable e) {
            failure = e;
        }
        Verdict said = takeBack();
        if (said == Verdict.NONE || said == Verdict.CANCELLED) {
            note(todo, performed, failure, said);
        }
        return said;
    }

    private Verdict notBegun(int attempt, List<Entry<T>> todo) {
        Verdict said = takeBack();
        if (said == Verdict.TAKEN_AWAY) {
            return said;
        }
        for (Entry<T> entry : todo) {
            entry.attempts = attempt - 1;
        }
        return Verdict.CANCELLED;
    }

    /** What is done in time counts, and so does what was done although it was to be stopped; what it threw then does not. */
    private void note(List<Entry<T>> todo, @Nullable Object performed, @Nullable Throwable failure, Verdict said) {
        if (performed != null) {
            job.record(todo, performed);
        }
        for (Entry<T> entry : todo) {
            if (said == Verdict.CANCELLED) {
                entry.failure = null;
            } else if (failure != null) {
                entry.failure = failure;
            }
        }
    }

    /** While it is idle the supervisor interrupts it only when nothing is begun any more: what came then is of no meaning. */
    private void begin() {
        clearInterrupt();
        state.setRelease(WORKING);
    }

    /** Takes the hands back from the state they were in while the worker was at work. */
    @SuppressWarnings("ThreadPriorityCheck") // the other side is a few instructions away from the next state
    private Verdict takeBack() {
        while (true) {
            if (state.compareAndSet(WORKING, IDLE)) {
                clearInterrupt();
                return Verdict.NONE;
            }
            if (state.compareAndSet(STOPPED, IDLE)) {
                clearInterrupt();
                return verdict;
            }
            if (isAbandoned()) {
                return Verdict.TAKEN_AWAY;
            }
            Thread.yield(); // STOPPING: the interrupt is on its way
        }
    }

    /** So that one task's interrupt, by whomever, does not reach the next. */
    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    boolean isAbandoned() {
        return state.get() == ABANDONED;
    }

    /**
     * Stops the work in hand if it is late or the flow drops it. Called by the supervisor alone.
     *
     * @param now as {@link System#nanoTime}
     * @return in how many nanoseconds to look again, or {@link #NEVER}
     */
    long look(long now) {
        long next = switch (state.get()) {
            case WORKING -> stopIfDue(now);
            case STOPPED -> settings.graceNanos() - (now - stoppedAt);
            default -> NEVER;
        };
        return Math.clamp(next, 1, settings.deadlineNanos()); // whatever begins now is not late before
    }

    private long stopIfDue(long now) {
        boolean drop = supervisor.isDropping();
        if (!drop && left(now) > 0) {
            return left(now);
        }
        if (state.compareAndSet(WORKING, STOPPING)) {
            if (!drop && left(now) > 0) {
                state.set(WORKING); // what was late is done, and this is the next: its deadline can be seen only now
                return left(now);
            }
            verdict = drop ? Verdict.CANCELLED : Verdict.TIMED_OUT;
            stoppedAt = now;
            thread.interrupt();
            state.set(STOPPED);
        }
        return settings.graceNanos();
    }

    private long left(long now) {
        return deadline == NEVER ? NEVER : deadline - now;
    }

    /**
     * Ends the wait of whoever is told of outcomes, when the flow has been dropped for long. Called by the supervisor alone; an
     * interrupt that comes between tasks does no harm, as no further one is begun.
     */
    void interruptListener() {
        if (state.get() == IDLE) {
            thread.interrupt();
        }
    }

    /** Gives up on work that was interrupted and goes on nevertheless. Called by the supervisor alone. */
    boolean abandon(long now) {
        return state.get() == STOPPED
                && now - stoppedAt >= settings.graceNanos()
                && state.compareAndSet(STOPPED, ABANDONED);
    }

    /** What is in its hands and not settled; called by the supervisor, when the worker was abandoned or has ended. */
    List<Entry<T>> unsettled() {
        return hands.subList(settled, hands.size());
    }

    /** What it would have taken next; called as above. */
    Queue<Entry<T>> following() {
        return following;
    }
}
