// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.RetentionTable;
import io.millrace.bitmap.SetExpression;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** What is asked of a {@link Month}. Each answer is one number, or several in a row. */
enum Question {
    COUNTS(
            "counts",
            "how many were there on each of the thirty days",
            Month::counts,
            active -> List.copyOf(active.counts(Month.EVENT, Month.SPANS).values())),
    UNION(
            "union",
            "how many were there on one of the thirty days at least",
            month -> List.of(month.union()),
            active -> List.of(active.count(SetExpression.active(Month.EVENT, Month.SPAN)))),
    EVERY_WEEK(
            "every-week",
            "how many were there in each of four weeks",
            month -> List.of(month.everyWeek()),
            active -> List.of(active.count(Month.weeks().stream()
                    .map(week -> SetExpression.active(Month.EVENT, week))
                    .reduce(SetExpression::and)
                    .orElseThrow()))),
    RETENTION(
            "retention",
            "of those of each day, how many were there on each later one: 465 numbers",
            Month::retention,
            active -> numbers(active.retention(Month.EVENT, Month.SPANS))),
    COHORTS(
            "cohorts",
            "of those who were first there on a day, how many were there on each later one: 465 numbers",
            Month::cohorts,
            active -> numbers(active.cohorts(Month.EVENT, Month.SPANS)));

    private final String word;
    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final Function<Month, List<Long>> right;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final Function<Activity, List<Long>> asked;

    Question(String word, String text, Function<Month, List<Long>> right, Function<Activity, List<Long>> asked) {
        this.word = word;
        this.text = text;
        this.right = right;
        this.asked = asked;
    }

    String word() {
        return word;
    }

    String text() {
        return text;
    }

    /** The right answer, counted id by id. */
    List<Long> right(Month month) {
        return right.apply(month);
    }

    /** Millrace's. */
    List<Long> ask(Activity active) {
        return asked.apply(active);
    }

    private static List<Long> numbers(RetentionTable table) {
        return table.cohorts().stream()
                .map(RetentionTable.Cohort::active)
                .flatMap(Collection::stream)
                .toList();
    }
}
