// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Tests at which places woven code has schedule points, and which operations a schedule rejects. */
class WeavingTest {

    @Test
    void synchronizedBlockIsRejectedAndItsPositionIsReported() {
        assertThatThrownBy(() -> Schedules.of(Monitors.class).explore(1, 1))
                .hasMessageContaining("a schedule cannot run this operation: site=WeavingTest$Monitors.run:")
                .hasMessageContaining(" synchronized");
    }

    @Test
    void computeIfAbsentCallsItsFunctionOnlyOnce() {
        ExplorationStats explorationStats = Schedules.of(Computing.class).explore(500, 1);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("computed 1");
    }

    @Test
    void callThroughAMethodReferenceHasASchedulePoint() {
        ExplorationStats explorationStats = Schedules.of(References.class).explore(500, 1);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("before", "after");
    }

    @Test
    void classesOfInstrumentedPackagesHaveSchedulePoints() {
        Schedules with = Schedules.of(UsesAnotherClass.class).instrumenting("io.millrace.testkit");

        List<String> steps = with.replay(1);

        assertThat(steps).anyMatch(step -> step.contains("ManualClock.advance:"));
        assertThat(Schedules.of(UsesAnotherClass.class).replay(1)).noneMatch(step -> step.contains("ManualClock"));
    }

    @Test
    void optionWithoutPlainAccessRemovesTheSchedulePointsBeforePlainWrites() {
        List<String> steps =
                Schedules.of(SchedulesTest.Race.class).withoutPlainAccess().replay(1);

        assertThat(steps).noneMatch(step -> step.contains("write of last"));
        assertThat(steps).anyMatch(step -> step.contains("AtomicInteger.get"));
    }

    static class Monitors implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            synchronized (this) {
                schedule.outcome("held");
            }
        }
    }

    static class Computing implements InterleavingScenario {

        private final ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
        private final AtomicInteger computations = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            for (int i = 0; i < 3; i++) {
                schedule.thread("thread " + i, () -> map.computeIfAbsent("key", key -> computations.incrementAndGet()));
            }
            schedule.join();
            schedule.outcome("computed " + computations);
        }
    }

    static class References implements InterleavingScenario {

        private final AtomicBoolean flag = new AtomicBoolean();

        @Override
        public void run(Schedule schedule) {
            BooleanSupplier look = flag::get;
            schedule.thread("setter", () -> flag.set(true));
            schedule.outcome(look.getAsBoolean() ? "after" : "before");
        }
    }

    static class UsesAnotherClass implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            ManualClock clock = new ManualClock();
            schedule.thread("other", () -> clock.advance(Duration.ofSeconds(1)));
        }
    }
}
