// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatsCheckTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"testWatchesNoStats", "testWatchesCorrectStats", "testWatchesStatsThatAreCorrectSoonAfterItsEnd"
            })
    void testWithConsistentStatsPasses(String test) {
        ExtensionRun.of(StatsFixture.class, test).assertSucceeded();
    }

    @Test
    void inconsistentStatsFailTheTestAndTheMessageListsAllNumbers() {
        assertThat(ExtensionRun.of(StatsFixture.class, "testWatchesStatsInWhichCommandsAreMissing")
                        .failure())
                .contains("the stats are inconsistent 20 ms after the test: name=client, "
                        + "submitted=22, ok=1, error=2, timedOut=3, refused=4, lost=5, pending=0, missing=7");
    }

    @Test
    void commandThatStaysPendingFailsTheTest() {
        assertThat(ExtensionRun.of(StatsFixture.class, "testWatchesStatsWithAPendingCommand")
                        .failure())
                .contains("name=client, submitted=1, ok=0, error=0, timedOut=0, refused=0, lost=0, pending=1");
    }

    @Test
    void negativeNumberInStatsFailsTheTestEvenIfTheSumIsCorrect() {
        assertThat(ExtensionRun.of(StatsFixture.class, "testWatchesStatsWithANegativeNumber")
                        .failure())
                .contains("ok=2", "lost=-1");
    }

    @Test
    void reportContainsInconsistentAndUnreadableStatsButNotConsistentStats() {
        assertThat(ExtensionRun.of(StatsFixture.class, "testWatchesCorrectAndWrongStats")
                        .failure())
                .contains("name=second, ")
                .contains("name=third, figures=java.lang.IllegalStateException: gone")
                .doesNotContain("name=first");
    }

    @Test
    void statsAreNoLongerWatchedAfterTheTestThatAddedThem() {
        StatsFixture.SHARED.watch("left over", () -> figures(1, 0, 1));

        String first = ExtensionRun.of(StatsFixture.class, "testWatchesNoStats").failure();

        assertThat(first).contains("name=left over");
        ExtensionRun.of(StatsFixture.class, "testWatchesNoStats").assertSucceeded();
    }

    private static OutcomeCounts figures(long submitted, long ok, long pending) {
        return new OutcomeCounts(submitted, ok, 0, 0, 0, 0, pending);
    }

    /**
     * The tests above run these test methods. The build does not run them directly, because it skips nested static
     * classes.
     */
    static class StatsFixture {

        @RegisterExtension
        static final StatsCheck SHARED = new StatsCheck(Duration.ofMillis(20));

        @RegisterExtension
        final StatsCheck stats = new StatsCheck(Duration.ofMillis(20));

        @RegisterExtension
        final StatsCheck withDefaultTimeout = new StatsCheck();

        @Test
        void testWatchesNoStats() {}

        @Test
        void testWatchesCorrectStats() {
            stats.watch("client", () -> new OutcomeCounts(15, 1, 2, 3, 4, 5, 0));
        }

        @Test
        void testWatchesStatsThatAreCorrectSoonAfterItsEnd() {
            AtomicInteger looks = new AtomicInteger(5);
            withDefaultTimeout.watch(
                    "client", () -> figures(5, 5 - looks.get(), looks.getAndUpdate(now -> Math.max(0, now - 1))));
        }

        @Test
        void testWatchesStatsInWhichCommandsAreMissing() {
            stats.watch("client", () -> new OutcomeCounts(22, 1, 2, 3, 4, 5, 0));
        }

        @Test
        void testWatchesStatsWithAPendingCommand() {
            stats.watch("client", () -> figures(1, 0, 1));
        }

        @Test
        void testWatchesStatsWithANegativeNumber() {
            stats.watch("client", () -> new OutcomeCounts(1, 2, 0, 0, 0, -1, 0));
        }

        @Test
        void testWatchesCorrectAndWrongStats() {
            Supplier<OutcomeCounts> broken = () -> {
                throw new IllegalStateException("gone");
            };
            stats.watch("first", () -> figures(1, 1, 0));
            stats.watch("second", () -> figures(2, 1, 0));
            stats.watch("third", broken);
        }
    }
}
