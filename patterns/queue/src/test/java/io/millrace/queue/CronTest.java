// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of recurring jobs. */
class CronTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *            | 2026-11-25T18:20:30Z | 2026-11-25T18:21:00Z",
                "*/15 * * * *         | 2026-11-25T18:45:00Z | 2026-11-25T19:00:00Z",
                "5/20 * * * *         | 2026-11-25T18:26:00Z | 2026-11-25T18:45:00Z",
                "30 3 * * *           | 2026-11-25T03:30:00Z | 2026-11-26T03:30:00Z",
                "30 3 * * *           | 2026-11-25T03:29:59Z | 2026-11-25T03:30:00Z",
                "0 8-18/5 * * *       | 2026-11-25T13:00:00Z | 2026-11-25T18:00:00Z",
                "0 0 1,15 * *         | 2026-11-25T00:00:00Z | 2026-12-01T00:00:00Z",
                "0 0 1 JAN *          | 2026-11-25T00:00:00Z | 2027-01-01T00:00:00Z",
                "0 9 * * MON-FRI      | 2026-11-27T09:00:00Z | 2026-11-30T09:00:00Z",
                "0 9 * * sat,sun      | 2026-11-27T09:00:00Z | 2026-11-28T09:00:00Z",
                "0 9 * * FRI-SUN      | 2026-11-28T09:00:00Z | 2026-11-29T09:00:00Z",
                "0 9 * * 7            | 2026-11-27T09:00:00Z | 2026-11-29T09:00:00Z",
                "0 9 * * 0            | 2026-11-27T09:00:00Z | 2026-11-29T09:00:00Z",
                "0 0 13 * FRI         | 2026-11-25T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 29 2 *           | 2026-11-25T00:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 29 2 *           | 2096-03-01T00:00:00Z | 2104-02-29T00:00:00Z",
                "@hourly              | 2026-11-25T18:20:30Z | 2026-11-25T19:00:00Z",
                "@weekly              | 2026-11-25T18:20:30Z | 2026-11-29T00:00:00Z",
                "@yearly              | 2026-11-25T18:20:30Z | 2027-01-01T00:00:00Z"
            })
    void nextTimeIsTheFirstMatchingMinuteAfterTheGivenTime(String expression, Instant after, Instant next) {
        assertThat(Cron.of(expression).next(after)).hasValue(next);
    }

    @Test
    void timesFollowTheTimeZone() {
        Cron cron = Cron.of("30 3 * * *", BERLIN);

        assertThat(cron.next(Instant.parse("2026-07-01T00:00:00Z"))).hasValue(Instant.parse("2026-07-01T01:30:00Z"));
        assertThat(cron.next(Instant.parse("2026-12-01T00:00:00Z"))).hasValue(Instant.parse("2026-12-01T02:30:00Z"));
    }

    @Test
    void skippedLocalTimeIsMovedByTheGap() {
        Cron cron = Cron.of("30 2 * * *", BERLIN); // on March 29, 2026, 2:00 is followed by 3:00

        assertThat(cron.next(Instant.parse("2026-03-28T12:00:00Z"))).hasValue(Instant.parse("2026-03-29T01:30:00Z"));
        assertThat(cron.next(Instant.parse("2026-03-29T01:10:00Z"))).hasValue(Instant.parse("2026-03-29T01:30:00Z"));
        assertThat(cron.next(Instant.parse("2026-03-29T01:30:00Z"))).hasValue(Instant.parse("2026-03-30T00:30:00Z"));
    }

    @Test
    void repeatedLocalTimeOccursOnce() {
        Cron cron = Cron.of("30 2 * * *", BERLIN); // on October 25, 2026, 3:00 is followed by 2:00

        assertThat(cron.next(Instant.parse("2026-10-24T12:00:00Z"))).hasValue(Instant.parse("2026-10-25T00:30:00Z"));
        assertThat(cron.next(Instant.parse("2026-10-25T00:30:00Z"))).hasValue(Instant.parse("2026-10-26T01:30:00Z"));
    }

    @Test
    void everyHourHasItsTimesWhenTheClockChanges() {
        Cron cron = Cron.of("*/30 * * * *", BERLIN);

        assertThat(times(cron, "2026-10-24T23:59:00Z", 6))
                .containsExactly(
                        "2026-10-25T00:00:00Z",
                        "2026-10-25T00:30:00Z",
                        "2026-10-25T01:00:00Z",
                        "2026-10-25T01:30:00Z",
                        "2026-10-25T02:00:00Z",
                        "2026-10-25T02:30:00Z");
        assertThat(times(cron, "2026-03-29T00:29:00Z", 3))
                .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z");
    }

    private static List<String> times(Cron cron, String after, int count) {
        List<String> times = new ArrayList<>();
        Instant last = Instant.parse(after);
        for (int i = 0; i < count; i++) {
            last = cron.next(last).orElseThrow();
            times.add(last.toString());
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "* * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 8",
                "* * * * MOON",
                "5-1 * * * *",
                "*/0 * * * *",
                "*-5 * * * *",
                "1,,2 * * * *",
                "-1 * * * *",
                "0 0 31 2 *",
                "@often"
            })
    void invalidExpressionIsRejectedWithAnExample(String expression) {
        assertThatThrownBy(() -> Cron.of(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the cron expression is not valid: ")
                .hasMessageEndingWith(", expression=" + expression + ". Use five fields, as in 30 3 * * MON-FRI.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 3 * * *\n", "0 3\n* * *", "0\t3 * * *", "0 3 * * *\u0085"})
    void expressionWithAControlCharacterIsRejected(String expression) {
        assertThatThrownBy(() -> Cron.of(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the cron expression is not valid: it has a control character, expression=0")
                .hasMessageContaining("?");
    }

    @Test
    void messageNamesTheFieldAndItsRange() {
        assertThatThrownBy(() -> Cron.of("0 25 * * *")).hasMessageContaining("field=hour, part=25, range=0 to 23");
        assertThatThrownBy(() -> Cron.of("0 0 * * X"))
                .hasMessageContaining("field=weekday, part=X, range=0 to 7, or SUN to SAT");
    }
}
