// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The methods of a schedule that its scenario calls. Only threads of the schedule may call them. */
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
     * Starts a thread. The seed decides when the thread runs, but not before the caller's next point. An exception of
     * {@code body} fails the schedule.
     *
     * @param name name of the thread in failure messages
     */
    public Thread thread(String name, Body body) {
        ScheduledThread scheduledThread = scheduler.newTask(name, body);
        scheduler.start(scheduledThread);
        started.add(scheduledThread);
        return scheduledThread.thread();
    }

    /**
     * Waits until all threads started by {@link #thread} have ended. Threads that the code under test has started may
     * still run. They too must end after {@link InterleavingScenario#run} has returned, or the schedule fails.
     */
    public void join() {
        ScheduledThread me = ScheduledThread.required();
        me.site = JOINING;
        me.await(() -> started.stream().noneMatch(ScheduledThread::isLive));
    }

    /**
     * Counts {@code outcome} in the stats of the exploration, so that a test can check that both outcomes of a race
     * occurred.
     */
    public void outcome(String outcome) {
        scheduler.outcome(outcome);
    }

    /** The schedule's time since its start. It is independent of wall-clock time. */
    public Duration elapsed() {
        return Duration.ofNanos(scheduler.now());
    }

    /** The seed of the schedule's decisions. */
    public long seed() {
        return seed;
    }

    /** Random numbers that are the same in each run of the seed. */
    public RandomGenerator random() {
        return scheduler.numbers();
    }

    /** The body of a thread. */
    @FunctionalInterface
    public interface Body {

        void run() throws Exception;
    }
}
