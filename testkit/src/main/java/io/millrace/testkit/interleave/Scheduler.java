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
 * <p>DESIGN. The threads hand a baton around: whoever has it runs, all others are suspended. Before each access that another
 * thread could
 * notice, woven code comes to a point ({@link #point}); there the holder itself decides who goes on, which costs nothing
 * but the decision as long as it is itself.
 *
 * <pre>
 *   point, await, end  ->  able()  ->  Strategy.choose  ->  record  ->  the same one: return
 *                             |                                         another: resume it, suspend
 *              nobody: time leaps to the first deadline
 *              no deadline either: deadlock
 * </pre>
 *
 * <p>The threads are virtual, on the JDK's carriers: a change between two costs well under a microsecond, since the one that
 * gets the
 * baton usually runs where the other did. Carriers of our own, which need an opened JDK, are no faster.
 *
 * <p>Whatever blocks is one thing here: waiting for a condition, perhaps with a deadline. The condition is evaluated by the
 * holder of the baton at each decision, and stays true until the one that waited runs, since nobody else does. Locks, latches,
 * parking, joining and sleeping are conditions of one line each.
 *
 * <p>All decisions are drawn from the seed, so a seed repeats its schedule as long as the code under test depends on nothing
 * else.
 * What there is of time is the schedule's own: a microsecond per step, leaps when nobody can run, and, by the seed's choice,
 * leaps to
 * a deadline while somebody could (a slow machine). By the seed's choice, too, parking ends for no reason.
 *
 * <p>Once a schedule has failed, each live thread in turn gets the baton and is thrown out of its code by {@link Abandoned};
 * one that
 * catches this for ever is left suspended, to be collected with its stack.
 *
 * <p>Interleavings are sequentially consistent: each access takes effect at once for all. Errors that need a weaker order of
 * memory
 * (a plain write in the place of a release, say) are not found.
 */
final class Scheduler {

    static final long NEVER = Long.MAX_VALUE;

    private static final long STEP_NANOS = 1_000;

    /** The clock wraps around after a millisecond: code that compares times instead of their difference is found. */
    private static final long ORIGIN = Long.MAX_VALUE - 1_000_000;

    /** One seed of so many lets parking end for no reason, one lets deadlines come early. */
    private static final int ODD_SEEDS = 4;

    /** Such a seed does so at one decision of so many. */
    private static final int ODD_DECISIONS = 50;

    /** How many points of an abandoned thread throw before it is left alone. */
    private static final int MOST_REFUSALS = 1_000;

    private final Plan plan;
    private final SplittableRandom random;
    private final SplittableRandom numbers;
    private final Strategy strategy;
    private final boolean spurious;
    private final boolean hasty;
    private final List<Task> tasks = new ArrayList<>();
    private final List<Task> able = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private int[] record = new int[256];
    private final AtomicInteger steps = new AtomicInteger();
    private long now;
    private @Nullable Failed failed;
    private final CountDownLatch over = new CountDownLatch(1);

    Scheduler(Plan plan, long seed) {
        this.plan = plan;
        this.random = new SplittableRandom(seed);
        this.numbers = random.split();
        this.strategy = Strategy.draw(random);
        this.spurious = random.nextInt(ODD_SEEDS) == 0;
        this.hasty = random.nextInt(ODD_SEEDS) == 0 && !plan.steadyTime();
    }

    /** Why a schedule failed, and where its threads stood. */
    record Failed(String reason, @Nullable Throwable cause, List<String> threads) {}

    /**
     * Runs {@code main} and all threads it starts to their end.
     *
     * @return false if one of them no longer moves, because it blocks or loops where no schedule sees it
     */
    boolean run(Schedule.Body main) throws InterruptedException {
        Task first = newTask("main", main);
        first.started = true;
        first.resume();
        int seen = -1;
        while (!over.await(plan.patience().toNanos(), TimeUnit.NANOSECONDS)) {
            if (steps.get() == seen) {
                return false;
            }
            seen = steps.get();
        }
        return true;
    }

    Task newTask(String name, Schedule.Body body) {
        if (tasks.size() == Sites.TASKS) {
            throw new IllegalStateException("a schedule has at most " + Sites.TASKS + " threads: name=" + name);
        }
        Task task = new Task(this, tasks.size(), name, body);
        tasks.add(task);
        return task;
    }

    /** Lets {@code task} run from the next decision on. */
    void start(Task task) {
        if (task.started) {
            throw new IllegalThreadStateException();
        }
        task.started = true;
    }

    /** {@code me} is about to make an access that others can see. */
    void point(Task me, int site) {
        if (me.uninterleaved == 0) {
            me.site = site;
            yieldTo(me, false);
        }
    }

    /** Returns when {@code me} is to go on. */
    void yieldTo(Task me, boolean yielding) {
        refuseIfFailed(me);
        if (me.uninterleaved > 0) {
            if (me.canRun(now)) {
                return;
            }
            throw fail(me.name + " waits in a static initializer or under a lock of a map", null);
        }
        Task next = decide(me, yielding);
        if (next != me) {
            next.resume();
            me.suspend();
            refuseIfFailed(me);
        }
    }

    /** {@code me} has run to its end: somebody else goes on, or the schedule is over. */
    void end(Task me) {
        me.ended = true;
        Task next = successor(me);
        if (next == null) {
            over.countDown();
        } else {
            next.resume();
        }
    }

    private @Nullable Task successor(Task me) {
        if (failed == null && anyLive() != null) {
            try {
                return decide(me, false);
            } catch (Abandoned e) {
                // A deadlock of the others: now they unwind.
            }
        }
        return anyLive();
    }

    private @Nullable Task anyLive() {
        return tasks.stream().filter(Task::isLive).findFirst().orElse(null);
    }

    private Task decide(Task me, boolean yielding) {
        int step = steps.getPlain();
        if (step == plan.stepLimit()) {
            throw fail("no end after " + step + " steps, a livelock or too low a limit", null);
        }
        now += STEP_NANOS;
        whim();
        findAble();
        if (able.isEmpty()) {
            long first = firstDeadline();
            if (first == NEVER) {
                throw fail("deadlock, nobody can go on", null);
            }
            now = Math.max(now, first);
            findAble();
        }
        Task next = able.size() == 1 ? able.getFirst() : strategy.choose(able, me, yielding);
        if (step == record.length) {
            record = Arrays.copyOf(record, 2 * step);
        }
        record[step] = Sites.step(next.index, next.site);
        steps.setRelease(step + 1);
        return next;
    }

    private void findAble() {
        able.clear();
        for (Task task : tasks) {
            if (task.canRun(now)) {
                able.add(task);
            }
        }
    }

    /** What a real machine may do and seldom does. */
    private void whim() {
        if (spurious && random.nextInt(ODD_DECISIONS) == 0) {
            any(tasks.stream().filter(Task::mayWakeSpuriously).toList(), Task::wakeSpuriously);
        }
        if (hasty && random.nextInt(ODD_DECISIONS) == 0) {
            any(
                    tasks.stream()
                            .filter(task -> task.isLive() && task.deadline() != NEVER)
                            .toList(),
                    task -> now = Math.max(now, task.deadline()));
        }
    }

    private void any(List<Task> some, Consumer<Task> action) {
        if (!some.isEmpty()) {
            action.accept(some.get(random.nextInt(some.size())));
        }
    }

    private long firstDeadline() {
        return tasks.stream()
                .filter(Task::isLive)
                .mapToLong(Task::deadline)
                .min()
                .orElse(NEVER);
    }

    /** Ends the schedule. Only the first failure counts. Returns what the caller throws. */
    Abandoned fail(String reason, @Nullable Throwable cause) {
        if (failed == null) {
            failed = new Failed(reason, cause, threads());
        }
        return new Abandoned();
    }

    private void refuseIfFailed(Task me) {
        if (failed != null) {
            if (me.refusals++ == MOST_REFUSALS) {
                end(me);
                me.suspend();
            }
            throw new Abandoned();
        }
    }

    /** Where the threads stand; while none moves, for any thread. */
    List<String> threads() {
        return Threads.describe(List.copyOf(tasks), now);
    }

    boolean isFailed() {
        return failed != null;
    }

    @Nullable
    Failed failed() {
        return failed;
    }

    @Nullable
    Task taskOf(Thread thread) {
        return tasks.stream()
                .filter(task -> task.thread().equals(thread))
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

    /** The deadline that is {@code nanos} from now. */
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
        return tasks.stream().map(task -> task.name).toList();
    }

    @Override
    public String toString() {
        return "strategy=" + strategy + ", spurious=" + spurious + ", hasty=" + hasty;
    }
}
