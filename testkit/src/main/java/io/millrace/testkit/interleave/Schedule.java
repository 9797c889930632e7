// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a scenario sees of the schedule it is run in. To be used by the schedule's own threads only. */
public final class Schedule {

    private static final int JOINING = Sites.number("Schedule.join");

    private final Scheduler scheduler;
    private final long seed;
    private final List<Task> started = new ArrayList<>();

    Schedule(Scheduler scheduler, long seed) {
        this.scheduler = scheduler;
        this.seed = seed;
    }

    /**
     * Starts a thread, which runs as soon as the seed lets it: not before the caller's next point. An exception out of {@code
     * body} fails
     * the schedule.
     *
     * @param name told in failures
     */
    public Thread thread(String name, Body body) {
        Task task = scheduler.newTask(name, body);
        scheduler.start(task);
        started.add(task);
        return task.thread();
    }

    /**
     * Waits until all threads that {@link #thread} has started have ended. Those that the code under test has started may
     * still run; they too have to end some time after {@link Interleaved#run} has returned, or the schedule fails.
     */
    public void join() {
        Task me = Task.required();
        me.site = JOINING;
        me.await(() -> started.stream().noneMatch(Task::isLive));
    }

    /** Counts {@code outcome} in the account of the exploration, so that a test can see that both ends of a race were reached. */
    public void outcome(String outcome) {
        scheduler.outcome(outcome);
    }

    /** The time that has gone by since the schedule started. It has nothing to do with the time of the wall. */
    public Duration elapsed() {
        return Duration.ofNanos(scheduler.now());
    }

    /** What the schedule's decisions are drawn from. */
    public long seed() {
        return seed;
    }

    /** Random numbers that are the same in each run of the seed. */
    public RandomGenerator random() {
        return scheduler.numbers();
    }

    /** What a thread does. */
    @FunctionalInterface
    public interface Body {

        void run() throws Exception;
    }
}
