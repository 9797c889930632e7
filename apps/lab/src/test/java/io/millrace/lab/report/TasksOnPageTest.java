// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Task processing on the page: bars beside the ideal, rhythms, the cost of a task, the deadlock. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TasksOnPageTest {

    private final Browser browser;

    TasksOnPageTest(Browser browser) {
        this.browser = browser;
    }

    /** Some results of a run: two scenarios, a failure, overhead, the deadlock. */
    private static String sample() throws IOException {
        try (var in = TasksOnPageTest.class.getResourceAsStream("tasks.json")) {
            return new String(Objects.requireNonNull(in, "tasks.json").readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void eachScenarioHasItsBarsAndItsRhythms() throws IOException {
        browser.open(sample());

        assertThat(browser.texts("h4")).containsExactly("slow-producer", "balanced", "overhead", "deadlock");
        assertThat(browser.askAll("return [...document.querySelectorAll('.plot')].map(plot => plot.ariaLabel)"))
                .containsExactly(
                        "slow-producer: seconds",
                        "slow-producer, batch: tasks produced and consumed over time",
                        "slow-producer, two-producers-queue: tasks produced and consumed over time",
                        "balanced: seconds",
                        "balanced, unordered: tasks produced and consumed over time",
                        "overhead: nanoseconds per task");
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.texts("h3")).as("no round trip has a say in this").doesNotContain("No delay added");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void theScenarioAndItsIdealsAreTold() throws IOException {
        browser.open(sample());

        assertThat(browser.texts(".variant:first-of-type .caption").getFirst())
                .isEqualTo(
                        "1,000 tasks; a producer waits 100 ms for each 100; 100 consumers, and each task takes one of them 1 to 10 ms, "
                                + "drawn from seed 2026. Ideal: 1.01 s with 1 producer, 0.517 s with 2 producers.");
        assertThat(browser.texts(".legend li")).contains("ideal", "ideal end", "produced", "failed, or not verified");
    }

    @Test
    void theTableSaysHowFarFromTheIdealAndWhatATaskCosts() throws IOException {
        browser.open(sample());

        assertThat(browser.texts("table.results thead th")).contains("ideal s", "over ideal %", "ns/task");
        assertThat(browser.texts("table.results td")).contains("1.200 to 1.200", "1.000", "20.0", "100");
    }

    @Test
    void theDeadlockIsSaidAloud() throws IOException {
        browser.open(sample());

        assertThat(browser.texts(".remarks li"))
                .satisfiesExactly(
                        pool -> assertThat(pool)
                                .startsWith(
                                        "two-platform-threads, jdk: DEADLOCK: nothing has moved for 0.5 s: produced=0 of 100, "),
                        virtual -> assertThat(virtual)
                                .isEqualTo("virtual-threads, jdk: no deadlock: 100 of 100 tasks done"));
    }

    @Test
    void thePointerIsToldHowFarEachWas() throws IOException {
        browser.open(sample());

        browser.pointAt("[data-kind=rhythm] .u-over");
        browser.settle();

        assertThat(browser.texts("[data-kind=rhythm] .readout:not([hidden]) div"))
                .hasSizeGreaterThan(2)
                .anyMatch(line -> line.matches("after \\d\\.\\d\\d s"))
                .anyMatch(line -> line.matches("jdk, produced: \\d+"))
                .anyMatch(line -> line.matches("jdk, consumed: \\d+"));
        assertThat(browser.console()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1400, 420})
    void nothingIsWiderThanTheWindow(int pixels) throws IOException {
        browser.open(sample());

        browser.width(pixels);
        browser.settle();

        assertThat(browser.ask("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isEqualTo(0L);
        assertThat(browser.drawn()).containsOnly("drawn");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"results\": [{\"experiment\": \"e4\", \"variant\": \"x\", \"medianWallSeconds\": 1}]}",
                "{\"results\": [{\"experiment\": \"e4\", \"variant\": \"x/y\", \"idealSeconds\": 0, \"trace\": 7}], \"scenarios\": [7, {}]}",
                "{\"results\": [{\"experiment\": \"e4\", \"variant\": \"s/batch\", \"operations\": 5, \"medianWallSeconds\": 1,"
                        + " \"verified\": true, \"trace\": {\"producedMillis\": [5, 5, -1, null], \"consumedMillis\": [5, 4],"
                        + " \"tasksPerMark\": 0}}], \"scenarios\": [{\"name\": \"s\"}]}",
                "{\"results\": [{\"experiment\": \"e4\", \"variant\": \"overhead/1-producer\", \"operations\": 0}]}"
            })
    void fieldsThatAreMissingOrOddAreBorneWith(String report) {
        browser.open(report);

        assertThat(browser.texts("h2")).contains("E4: task processing", "Environment");
        assertThat(browser.console()).isEmpty();
    }
}
