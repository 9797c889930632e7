// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The methods of a schedule for use by its scenario. Only threads of the schedule may call these methods. */
public final class Schedule {

    private static final int JOINING = PointSites.number("Schedule.join");

    private final Scheduler scheduler;
    private final long seed;
    private final List<ScheduledThread> started = new ArrayList<>();

    Schedule(Scheduler scheduler, long seed) {
        this.scheduler = scheduler;
        this.seed = seed;
    }

    /**
     * Starts a thread of the schedule. The caller first continues to its next schedule point. From then on, the seed
     * decides when the new thread runs. An exception that {@code body} throws fails the schedule.
     *
     * @param name name of the thread in failure messages
     */
    public Thread thread(String name, Body body) {
        return start(name, true, body);
    }

    /** Like {@link #thread}, but {@code Thread.isVirtual} of the new thread returns false. */
    public Thread platformThread(String name, Body body) {
        return start(name, false, body);
    }

    private Thread start(String name, boolean virtual, Body body) {
        ScheduledThread scheduledThread = scheduler.newTask(name, virtual, body);
        scheduler.start(scheduledThread);
        started.add(scheduledThread);
        return scheduledThread.thread();
    }

    /**
     * Waits until all threads that {@link #thread} has started have ended.
     *
     * <p>Threads that the code under test has started may still run when this method returns. They too must end: if
     * they still wait after {@link InterleavingScenario#run} has returned and no event can wake them, the schedule
     * fails.
     */
    public void join() {
        ScheduledThread me = ScheduledThread.required();
        me.site = JOINING;
        me.await(() -> started.stream().noneMatch(ScheduledThread::isLive));
    }

    /**
     * Adds 1 to the count of {@code outcome} in the stats of the exploration. With these counts a test can check that
     * both outcomes of a race have occurred.
     */
    public void outcome(String outcome) {
        scheduler.outcome(outcome);
    }

    /**
     * The time since the start of the schedule, by the clock of the schedule. This clock is independent of real time.
     */
    public Duration elapsed() {
        return Duration.ofNanos(scheduler.now());
    }

    /**
     * How often the clock has leapt to a deadline because no thread could run. If no thread of the code under test waits
     * for a time to pass, a leap means that a thread was not woken, and continued only because its wait had a deadline.
     */
    public int timeLeaps() {
        return scheduler.leaps();
    }

    /** The seed from which all decisions of this schedule are derived. */
    public long seed() {
        return seed;
    }

    /** A source of random numbers. It gives the same numbers each time the same seed is run. */
    public RandomGenerator random() {
        return scheduler.numbers();
    }

    /** The body of a thread. */
    @FunctionalInterface
    public interface Body {

        void run() throws Exception;
    }
}
