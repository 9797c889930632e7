// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import org.junit.jupiter.api.Test;

/** Hours, days, weeks and months. */
class SpanTest {

    @Test
    void labelOfASpanIsReadBack() {
        LocalDateTime time = LocalDateTime.of(2024, 12, 30, 13, 0);
        for (Granularity granularity : Granularity.values()) {
            Span span = Span.of(granularity, time);

            assertThat(Span.parse(granularity, span.label())).contains(span);
            assertThat(Span.parse(granularity, "1")).isEmpty();
        }
    }

    private static final LocalDateTime SUNDAY = LocalDateTime.of(2027, 1, 3, 13, 59, 59);

    @Test
    void labelsOfSpansAreInIsoFormat() {
        assertThat(Span.hour(SUNDAY).label()).isEqualTo("2027-01-03T13");
        assertThat(Span.day(SUNDAY.toLocalDate()).label()).isEqualTo("2027-01-03");
        assertThat(Span.week(SUNDAY.toLocalDate()).label()).isEqualTo("2026-W53");
        assertThat(Span.month(YearMonth.from(SUNDAY)).label()).isEqualTo("2027-01");
    }

    @Test
    void spanIsSplitIntoAllItsFinerSpans() {
        assertThat(Span.month(YearMonth.of(2028, 2)).split(Granularity.DAY)).hasSize(29);
        assertThat(Span.month(YearMonth.of(2026, 11)).split(Granularity.HOUR))
                .hasSize(720)
                .startsWith(Span.hour(LocalDateTime.of(2026, 11, 1, 0, 0)))
                .endsWith(Span.hour(LocalDateTime.of(2026, 11, 30, 23, 0)));
        assertThat(Span.week(SUNDAY.toLocalDate()).split(Granularity.DAY))
                .isEqualTo(Span.day(LocalDate.of(2026, 12, 28)).consecutive(7));
        assertThat(Span.hour(SUNDAY).split(Granularity.HOUR)).containsExactly(Span.hour(SUNDAY));
    }

    @Test
    void invalidSplitsAndInvalidStartsOfSpansAreRejected() {
        assertThatThrownBy(() -> Span.month(YearMonth.of(2026, 11)).split(Granularity.WEEK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a month does not consist of whole spans of one week: span=2026-11."
                        + " Use spans of WEEK, or store finer spans.");
        assertThatThrownBy(() -> Span.hour(SUNDAY).split(Granularity.DAY)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Span(Granularity.DAY, SUNDAY))
                .hasMessageStartingWith("start is not the start of a span");
    }
}
