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
 * <p>DESIGN. The threads pass a baton: its holder runs, and all other threads are suspended. Before each access that
 * another thread could notice, woven code calls a point ({@link #point}). There the holder itself decides which thread
 * runs next. If the holder itself continues, the point costs no more than the decision.
 *
 * <pre>
 *   point, await, end  ->  findRunnable()  ->  Strategy.choose  ->  record  ->  same thread: return
 *                                |                                             other thread: resume it, suspend
 *              no runnable thread: time leaps to the first deadline
 *              no deadline either: deadlock
 * </pre>
 *
 * <p>The threads are virtual and run on the JDK's carrier threads. A switch between two threads takes well under a
 * microsecond, since the resumed thread usually runs on the same carrier. Separate carriers, which need an opened JDK,
 * are no faster.
 *
 * <p>Every blocking operation is a wait for a condition, with or without a deadline. The baton holder evaluates the
 * condition at each decision. The condition stays true until the waiting thread runs, since no other thread runs.
 * Locks, latches, parking, joining and sleeping are conditions of one line each.
 *
 * <p>All decisions are drawn from the seed. A seed repeats its schedule as long as the code under test depends on
 * nothing else. The schedule has a separate time, which advances a microsecond per step, and leaps to the first
 * deadline when no thread can run. With some seeds time also leaps to a deadline while a thread could run (a slow
 * machine), and with some seeds parking ends spuriously.
 *
 * <p>Once a schedule has failed, each live thread in turn gets the baton, and {@link ScheduleAbandoned} unwinds its
 * stack. A thread that catches this error again and again stays suspended and is garbage-collected with its stack.
 *
 * <p>Interleavings are sequentially consistent: each access takes effect at once for all threads. Errors that need a
 * weaker memory order (such as a plain write instead of a release) are not found.
 */
final class Scheduler {

    static final long NEVER = Long.MAX_VALUE;

    private static final long STEP_NANOS = 1_000;

    /**
     * The clock wraps around after a millisecond. This exposes code that compares times instead of their difference.
     */
    private static final long ORIGIN = Long.MAX_VALUE - 1_000_000;

    /** In one of four seeds, on average, parking may end spuriously. In one of four seeds deadlines may pass early. */
    private static final int RARE_SEEDS = 4;

    /** With such a seed, the rare event is injected at one of 50 decisions, on average. */
    private static final int RARE_DECISIONS = 50;

    /**
     * Number of points at which an abandoned thread may catch {@link ScheduleAbandoned} and continue. At the next point
     * the thread stays suspended.
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

    /** The reason of a failure and the positions of the threads. */
    record FailureRecord(String reason, @Nullable Throwable cause, List<String> threads) {}

    /**
     * Runs {@code main} and all threads it starts to their end.
     *
     * @return false if a thread makes no progress, because it blocks or loops outside of the instrumented code
     */
    boolean run(Schedule.Body main) throws InterruptedException {
        ScheduledThread first = newTask("main", main);
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

    ScheduledThread newTask(String name, Schedule.Body body) {
        if (tasks.size() == PointSites.TASKS) {
            throw new IllegalStateException("a schedule has at most " + PointSites.TASKS + " threads: name=" + name);
        }
        ScheduledThread scheduledThread = new ScheduledThread(this, tasks.size(), name, body);
        tasks.add(scheduledThread);
        return scheduledThread;
    }

    /** Makes {@code scheduledThread} runnable from the next decision on. */
    void start(ScheduledThread scheduledThread) {
        if (scheduledThread.started) {
            throw new IllegalThreadStateException();
        }
        scheduledThread.started = true;
    }

    /** Called before {@code me} makes an access that other threads can see. */
    void point(ScheduledThread me, int site) {
        if (me.noSwitchDepth == 0) {
            me.site = site;
            switchThread(me, false);
        }
    }

    /** Lets another thread run if the strategy chooses another thread. Returns when {@code me} runs again. */
    void switchThread(ScheduledThread me, boolean yielding) {
        refuseIfFailed(me);
        if (me.noSwitchDepth > 0) {
            if (me.canRun(now)) {
                return;
            }
            throw fail(me.name + " waits in a static initializer or under a lock of a map", null);
        }
        ScheduledThread next = decide(me, yielding);
        if (next != me) {
            next.resume();
            me.suspend();
            refuseIfFailed(me);
        }
    }

    /** Ends {@code me}: another thread runs next, or the schedule is over. */
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
                // The other threads are in a deadlock: they unwind now.
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
            throw fail("no end after " + step + " steps, because of a livelock or a step limit that is too low", null);
        }
        now += STEP_NANOS;
        injectRareEvent();
        findRunnable();
        if (runnable.isEmpty()) {
            long first = firstDeadline();
            if (first == NEVER) {
                throw fail("deadlock, no thread can run", null);
            }
            now = Math.max(now, first);
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

    /** Injects rare events of real machines: spurious wakeups and early deadlines. */
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

    /** Ends the schedule. Only the first failure is recorded. Returns the error for the caller to throw. */
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

    /** The positions of the threads. Any thread may call this while none of them runs. */
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

    long nanoTime() {
        return ORIGIN + now;
    }

    /** The deadline {@code nanos} from now. */
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
