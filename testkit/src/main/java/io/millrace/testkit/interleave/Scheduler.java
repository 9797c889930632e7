// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of one schedule, one at a time.
 *
 * <p>DESIGN. The threads share one baton. The thread that has the baton runs, and all other threads are suspended. The
 * weaver has inserted a call of {@link #point} before each access that another thread could notice. In this call, the
 * running thread decides which thread runs next. If it chooses itself, it continues without a switch.
 *
 * <pre>
 *   point, await, end  ->  findRunnable()  ->  Strategy.choose  ->  record  ->  same thread: return
 *                                |                                             other thread: resume it, suspend
 *              no runnable thread: time leaps to the first deadline
 *              no deadline either: deadlock
 * </pre>
 *
 * <p>The threads are virtual and run on the carrier threads of the JDK. A switch between two threads usually stays on
 * one carrier thread and takes well under a microsecond. Separate carrier threads are no faster, and they need access
 * to internal classes of the JDK.
 *
 * <p>Locks, latches, parking, joining and sleeping work in the same way: the thread waits for a condition, with or
 * without a deadline. At each decision, the thread with the baton evaluates the conditions of all waiting threads. The
 * condition of the chosen thread is still true when this thread runs, because no other thread runs in between.
 *
 * <p>All decisions are derived from the seed. A seed repeats its schedule if the code under test depends on nothing
 * else. The schedule has a separate clock. Each step advances the clock by a microsecond. If no thread can run, the
 * clock leaps to the first deadline. With some seeds the clock also leaps to a deadline while a thread can run: this
 * simulates a slow machine. With some seeds parking ends spuriously.
 *
 * <p>After a schedule has failed, each live thread receives the baton in turn, and {@link ScheduleAbandoned} unwinds
 * its stack. If a thread catches this error too often, it stays suspended. The garbage collector then frees the thread
 * and its stack.
 *
 * <p>Interleavings are sequentially consistent: a write is visible to all other threads immediately. So a schedule does
 * not find errors that need a weaker memory order, such as a plain write where a release write is necessary.
 */
final class Scheduler {

    static final long NEVER = Long.MAX_VALUE;

    private static final long STEP_NANOS = 1_000;

    /**
     * First value of the clock for {@code System.nanoTime}. The value overflows to a negative number after a
     * millisecond. This finds code that compares two times where it must compare their difference with 0.
     */
    private static final long ORIGIN = Long.MAX_VALUE - 1_000_000;

    /**
     * On average, one of four seeds permits spurious ends of parking. Independently of that, one of four seeds permits
     * that the clock leaps to a deadline while a thread can run.
     */
    private static final int RARE_SEEDS = 4;

    /** If a seed permits a rare event, the event happens at one of 50 decisions, on average. */
    private static final int RARE_DECISIONS = 50;

    /**
     * Maximum number of times that a thread may catch {@link ScheduleAbandoned} and continue. After that, the thread
     * stays suspended at its next schedule point.
     */
    private static final int MAX_REFUSALS = 1_000;

    private final SchedulePlan schedulePlan;
    private final SplittableRandom random;
    private final SplittableRandom numbers;
    private final Strategy strategy;
    private final boolean spurious;
    private final boolean earlyDeadlines;
    private final List<ScheduledThread> tasks = new ArrayList<>();
    private final List<ScheduledThread> runnable = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private int[] record = new int[256];
    private final AtomicInteger steps = new AtomicInteger();
    private long now;
    private int leaps;
    private @Nullable FailureRecord failureRecord;
    private final CountDownLatch over = new CountDownLatch(1);

    Scheduler(SchedulePlan schedulePlan, long seed) {
        this.schedulePlan = schedulePlan;
        this.random = new SplittableRandom(seed);
        this.numbers = random.split();
        this.strategy = Strategy.draw(random);
        this.spurious = random.nextInt(RARE_SEEDS) == 0;
        this.earlyDeadlines = random.nextInt(RARE_SEEDS) == 0 && !schedulePlan.steadyTime();
    }

    /** Describes a failure: its reason, the exception that caused it, and the positions of the threads. */
    record FailureRecord(String reason, @Nullable Throwable cause, List<String> threads) {}

    /**
     * Runs the thread {@code main}, and all threads that it starts, until they have ended.
     *
     * @return false if a thread blocks or loops outside of the instrumented code, so that no decision is made
     */
    boolean run(Schedule.Body main) throws InterruptedException {
        ScheduledThread first = newTask("main", false, main);
        first.started = true;
        first.resume();
        int seen = -1;
        while (!over.await(schedulePlan.stallTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
            if (steps.get() == seen) {
                return false;
            }
            seen = steps.get();
        }
        return true;
    }

    ScheduledThread newTask(String name, boolean virtual, Schedule.Body body) {
        if (tasks.size() == PointSites.TASKS) {
            throw new IllegalStateException("a schedule has at most " + PointSites.TASKS + " threads: name=" + name);
        }
        ScheduledThread scheduledThread = new ScheduledThread(this, tasks.size(), name, virtual, body);
        tasks.add(scheduledThread);
        return scheduledThread;
    }

    /** Starts {@code scheduledThread}. The next decision may choose it. */
    void start(ScheduledThread scheduledThread) {
        if (scheduledThread.started) {
            throw new IllegalThreadStateException();
        }
        scheduledThread.started = true;
    }

    /** A schedule point of the running thread {@code me}. Called before an access that other threads can notice. */
    void point(ScheduledThread me, int site) {
        if (me.noSwitchDepth == 0) {
            me.site = site;
            switchThread(me, false);
        }
    }

    /**
     * Decides which thread runs next. If this is another thread, passes the baton to it, and returns when {@code me}
     * has the baton again.
     */
    void switchThread(ScheduledThread me, boolean yielding) {
        refuseIfFailed(me);
        if (me.noSwitchDepth > 0) {
            if (me.canRun(now)) {
                return;
            }
            throw fail(
                    me.name + " waits in a static initializer or in a function that a map calls;"
                            + " a schedule forbids this",
                    null);
        }
        ScheduledThread next = decide(me, yielding);
        if (next != me) {
            next.resume();
            me.suspend();
            refuseIfFailed(me);
        }
    }

    /**
     * Called at the end of the thread {@code me}. Passes the baton to another thread. If there is none, the schedule
     * has ended.
     */
    void end(ScheduledThread me) {
        me.ended = true;
        ScheduledThread next = successor(me);
        if (next == null) {
            over.countDown();
        } else {
            next.resume();
        }
    }

    private @Nullable ScheduledThread successor(ScheduledThread me) {
        if (failureRecord == null && anyLive() != null) {
            try {
                return decide(me, false);
            } catch (ScheduleAbandoned e) {
                // The schedule has just failed, for example because all other threads are in a deadlock. Each of them
                // receives the baton now and unwinds its stack.
            }
        }
        return anyLive();
    }

    private @Nullable ScheduledThread anyLive() {
        return tasks.stream().filter(ScheduledThread::isLive).findFirst().orElse(null);
    }

    private ScheduledThread decide(ScheduledThread me, boolean yielding) {
        int step = steps.getPlain();
        if (step == schedulePlan.stepLimit()) {
            throw fail(
                    "no end after " + step + " steps: a thread may loop endlessly, or the step limit is too low", null);
        }
        now += STEP_NANOS;
        injectRareEvent();
        findRunnable();
        if (runnable.isEmpty()) {
            long first = firstDeadline();
            if (first == NEVER) {
                throw fail("deadlock, no thread can run", null);
            }
            if (first > now) {
                now = first;
                leaps++;
            }
            findRunnable();
        }
        ScheduledThread next = runnable.size() == 1 ? runnable.getFirst() : strategy.choose(runnable, me, yielding);
        if (step == record.length) {
            record = Arrays.copyOf(record, 2 * step);
        }
        record[step] = PointSites.step(next.index, next.site);
        steps.setRelease(step + 1);
        return next;
    }

    private void findRunnable() {
        runnable.clear();
        for (ScheduledThread scheduledThread : tasks) {
            if (scheduledThread.canRun(now)) {
                runnable.add(scheduledThread);
            }
        }
    }

    /**
     * With some seeds, simulates rare events of real machines: spurious wakeups, and deadlines that pass while a thread
     * can run.
     */
    private void injectRareEvent() {
        if (spurious && random.nextInt(RARE_DECISIONS) == 0) {
            applyToRandom(
                    tasks.stream().filter(ScheduledThread::mayWakeSpuriously).toList(),
                    ScheduledThread::wakeSpuriously);
        }
        if (earlyDeadlines && random.nextInt(RARE_DECISIONS) == 0) {
            applyToRandom(
                    tasks.stream()
                            .filter(scheduledThread -> scheduledThread.isLive() && scheduledThread.deadline() != NEVER)
                            .toList(),
                    scheduledThread -> now = Math.max(now, scheduledThread.deadline()));
        }
    }

    private void applyToRandom(List<ScheduledThread> candidates, Consumer<ScheduledThread> action) {
        if (!candidates.isEmpty()) {
            action.accept(candidates.get(random.nextInt(candidates.size())));
        }
    }

    private long firstDeadline() {
        return tasks.stream()
                .filter(ScheduledThread::isLive)
                .mapToLong(ScheduledThread::deadline)
                .min()
                .orElse(NEVER);
    }

    /** Records the failure, if it is the first failure of the schedule. Returns an error that the caller must throw. */
    ScheduleAbandoned fail(String reason, @Nullable Throwable cause) {
        if (failureRecord == null) {
            failureRecord = new FailureRecord(reason, cause, threads());
        }
        return new ScheduleAbandoned();
    }

    private void refuseIfFailed(ScheduledThread me) {
        if (failureRecord != null) {
            if (me.unwindAttempts++ == MAX_REFUSALS) {
                end(me);
                me.suspend();
            }
            throw new ScheduleAbandoned();
        }
    }

    /**
     * The state and the position of each thread, as text. Any thread may call this method while no thread of the
     * schedule runs.
     */
    List<String> threads() {
        return ThreadDump.describe(List.copyOf(tasks), now);
    }

    boolean isFailed() {
        return failureRecord != null;
    }

    @Nullable
    FailureRecord failed() {
        return failureRecord;
    }

    @Nullable
    ScheduledThread taskOf(Thread thread) {
        return tasks.stream()
                .filter(scheduledThread -> scheduledThread.thread().equals(thread))
                .findFirst()
                .orElse(null);
    }

    RandomGenerator numbers() {
        return numbers;
    }

    long now() {
        return now;
    }

    int leaps() {
        return leaps;
    }

    long nanoTime() {
        return ORIGIN + now;
    }

    /** The time of the schedule that is {@code nanos} after the present time. */
    long after(long nanos) {
        return nanos >= NEVER - now ? NEVER : now + nanos;
    }

    void outcome(String outcome) {
        outcomes.add(outcome);
    }

    List<String> outcomes() {
        return outcomes;
    }

    int[] record() {
        return Arrays.copyOf(record, steps.get());
    }

    List<String> names() {
        return tasks.stream().map(scheduledThread -> scheduledThread.name).toList();
    }

    @Override
    public String toString() {
        return "strategy=" + strategy + ", spurious=" + spurious + ", earlyDeadlines=" + earlyDeadlines;
    }
}
