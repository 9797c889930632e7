// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests the exploration of thread schedules. The same seed gives the same schedule. A failure is reported with the seed
 * and the schedule. A schedule that does not end is a failure.
 */
@ExtendWith(NoThreadLeft.class)
class SchedulesTest {

    private static final String LATCH = "millrace.interleave.latch";

    @Test
    void sameSeedAlwaysGivesTheSameSchedule() {
        Schedules schedules = Schedules.of(RingTest.CorrectRing.class);

        List<List<String>> first =
                IntStream.range(0, 200).mapToObj(schedules::replay).toList();
        List<List<String>> second =
                IntStream.range(0, 200).mapToObj(schedules::replay).toList();

        assertThat(second).isEqualTo(first);
    }

    @Test
    void differentSeedsGiveDifferentSchedules() {
        Schedules schedules = Schedules.of(RingTest.CorrectRing.class);

        Set<List<String>> distinct = new HashSet<>(
                IntStream.range(0, 200).mapToObj(schedules::replay).toList());

        assertThat(distinct).hasSizeGreaterThan(100);
    }

    @Test
    void textOfAStepNamesTheThreadAndTheAccess() {
        List<String> steps = Schedules.of(Race.class).replay(1);

        assertThat(steps).anyMatch(step -> step.matches("one: SchedulesTest\\$Race\\.\\S+:\\d+ AtomicInteger.get"));
        assertThat(steps).anyMatch(step -> step.matches("two: SchedulesTest\\$Race\\.\\S+:\\d+ write of last"));
    }

    @Test
    void explorationReachesAllOutcomesOfARace() {
        ExplorationStats explorationStats = Schedules.of(Race.class).explore(300, 0);

        assertThat(explorationStats.outcomes())
                .containsOnlyKeys("one, count=1", "two, count=1", "one, count=2", "two, count=2");
        assertThat(explorationStats.outcomes().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo(300);
        assertThat(explorationStats.steps()).isGreaterThan(300 * 6);
    }

    @Test
    void failureNamesItsSeedAndTheSameSeedRepeatsTheFailure() {
        Schedules schedules = Schedules.of(Rare.class);
        ScheduleFailure failure = catchThrowableOfType(ScheduleFailure.class, () -> schedules.explore(10_000, 7));

        ScheduleFailure again = catchThrowableOfType(ScheduleFailure.class, () -> schedules.replay(failure.seed()));

        assertThat(again.steps()).isEqualTo(failure.steps());
        assertThat(again.reason()).isEqualTo(failure.reason()).contains("thread two", "too late");
        assertThat(failure.getCause()).isInstanceOf(IllegalStateException.class);
        assertThat(failure)
                .hasMessageStartingWith(
                        "a schedule failed after " + failure.steps().size() + " steps: scenario=")
                .hasMessageContaining(", seed=" + failure.seed() + ", ")
                .hasMessageContaining("repeats=true. Run it again with -Dmillrace.seed=" + failure.seed() + "\n")
                .hasMessageContaining("two: runnable at SchedulesTest$Rare.");
    }

    @Test
    void deadlockReportsThePositionOfEachThread() {
        Schedules schedules = Schedules.of(Deadlock.class);

        assertThatThrownBy(() -> schedules.explore(1_000, 1))
                .hasMessageContaining("reason=deadlock, no thread can run, ")
                .hasMessageContaining("one: waiting at SchedulesTest$Deadlock.")
                .hasMessageContaining("two: waiting at SchedulesTest$Deadlock.")
                .hasMessageContaining("SchedulesTest.java:")
                .hasMessageContaining("main: waiting at Schedule.join\n");
    }

    @Test
    void endlessScheduleFailsAtTheStepLimit() {
        Schedules schedules = Schedules.of(Endless.class).stepLimit(500);

        assertThatThrownBy(() -> schedules.explore(1, 1)).hasMessageContaining("no end after 500 steps");
    }

    @Test
    void scheduleFailsAtTheStepLimitEvenIfItsThreadsCatchEveryError() {
        Schedules schedules = Schedules.of(CatchesEveryError.class).stepLimit(500);

        assertThatThrownBy(() -> schedules.explore(1, 1)).hasMessageContaining("no end after 500 steps");
    }

    @Test
    void scheduleFailsIfAThreadIsStillParkedAtItsEnd() {
        assertThatThrownBy(() -> Schedules.of(LeftBehind.class).explore(100, 1))
                .hasMessageContaining("deadlock")
                .hasMessageContaining("left: waiting at SchedulesTest$LeftBehind");
    }

    @Test
    void failureReportsThatTheSameSeedGaveAnotherSchedule() {
        assertThatThrownBy(() -> Schedules.of(UnrepeatableScenario.class).explore(1, 1))
                .hasMessageContaining("repeats=false. The schedule depends on the seed and on other state, such as");
    }

    @Test
    void threadThatBlocksOutsideOfTheScheduleIsReported() {
        Schedules schedules = Schedules.of(BlocksOutsideOfSchedule.class);
        Schedules withShortTimeout = schedules.with(schedules.plan().stallTimeout(Duration.ofMillis(200)));
        CountDownLatch outside = new CountDownLatch(1);
        System.getProperties().put(LATCH, outside);
        try {
            assertThatThrownBy(() -> withShortTimeout.explore(1, 1))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("a schedule has made no progress for 200 ms: ")
                    .hasMessageContaining("SchedulesTest$BlocksOutsideOfSchedule.run(SchedulesTest.java:");
        } finally {
            System.getProperties().remove(LATCH);
            outside.countDown();
        }
    }

    @Test
    void onlyTheScheduleOfTheSeedInTheSystemPropertyIsRun() {
        String before = System.setProperty(Schedules.SEED, "42");
        try {
            assertThat(Schedules.of(ReportsItsSeed.class).explore(1_000).outcomes())
                    .isEqualTo(Map.of("42", 1));
        } finally {
            if (before == null) {
                System.clearProperty(Schedules.SEED);
            } else {
                System.setProperty(Schedules.SEED, before);
            }
        }
    }

    @Test
    void joinWaitsForTheThreadsOfTheScenarioAndTheScheduleWaitsForAllThreads() {
        ExplorationStats explorationStats =
                Schedules.of(LeavesWorkerRunning.class).explore(500, 1);

        assertThat(explorationStats.outcomes()).isEqualTo(Map.of("worked, then stopped", 500));
    }

    static class ReportsItsSeed implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            schedule.outcome(Long.toString(schedule.seed()));
        }
    }

    static class LeavesWorkerRunning implements InterleavingScenario {

        private final AtomicInteger work = new AtomicInteger();
        private volatile boolean stopped;

        @Override
        public void run(Schedule schedule) {
            Thread worker = Thread.ofVirtual().name("worker").start(() -> {
                while (!stopped) {
                    LockSupport.park();
                }
                schedule.outcome((work.get() == 2 ? "worked" : "did not work") + ", then stopped");
            });
            schedule.thread("one", work::incrementAndGet);
            schedule.thread("two", work::incrementAndGet);
            schedule.join();
            stopped = true;
            LockSupport.unpark(worker);
        }
    }

    static class Race implements InterleavingScenario {

        private final AtomicInteger count = new AtomicInteger();
        private String last = "";

        @Override
        public void run(Schedule schedule) {
            for (String name : List.of("one", "two")) {
                schedule.thread(name, () -> {
                    int old = count.get();
                    count.set(old + 1);
                    last = name;
                });
            }
            schedule.join();
            schedule.outcome(last + ", count=" + count);
        }
    }

    /** Fails only if thread {@code one} runs from its start to its end between two accesses of thread {@code two}. */
    static class Rare implements InterleavingScenario {

        private final AtomicInteger step = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> {
                for (int i = 0; i < 5; i++) {
                    step.incrementAndGet();
                }
            });
            schedule.thread("two", () -> {
                int before = step.get();
                if (before == 0 && step.get() == 5) {
                    throw new IllegalStateException("too late");
                }
            });
            schedule.join();
        }
    }

    static class Deadlock implements InterleavingScenario {

        private final ReentrantLock left = new ReentrantLock();
        private final ReentrantLock right = new ReentrantLock();

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> both(left, right));
            schedule.thread("two", () -> both(right, left));
            schedule.join();
        }

        @SuppressWarnings("LockNotBeforeTry") // No exception is possible in between.
        private static void both(ReentrantLock first, ReentrantLock second) {
            first.lock();
            second.lock();
            second.unlock();
            first.unlock();
        }
    }

    static class Endless implements InterleavingScenario {

        private volatile boolean done;

        @Override
        public void run(Schedule schedule) {
            while (!done) {
                Thread.onSpinWait();
            }
        }
    }

    static class CatchesEveryError implements InterleavingScenario {

        private volatile boolean done;

        @Override
        public void run(Schedule schedule) {
            schedule.thread("other", this::spin);
            spin();
        }

        private void spin() {
            while (true) {
                try {
                    if (done) {
                        return;
                    }
                } catch (Error e) {
                    done = e.getMessage() == null;
                }
            }
        }
    }

    static class LeftBehind implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            schedule.thread("left", LockSupport::park);
        }
    }

    static class UnrepeatableScenario implements InterleavingScenario {

        private static final AtomicInteger RUNS = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            for (int i = 0; i < RUNS.get(); i++) {
                schedule.outcome("run");
            }
            if (RUNS.incrementAndGet() > 1) {
                RUNS.get();
            }
            throw new IllegalStateException("always");
        }
    }

    /** Waits for a latch that does not belong to the schedule, because the test created the latch. */
    static class BlocksOutsideOfSchedule implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) throws InterruptedException {
            if (System.getProperties().get(LATCH) instanceof CountDownLatch latch) {
                latch.await();
            }
        }
    }
}
