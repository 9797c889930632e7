// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.RetentionTable;
import io.millrace.bitmap.SetExpression;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** A question about a {@link Month}. The answer is a list of numbers. */
enum Question {
    COUNTS(
            "counts",
            "how many ids were active on each of the thirty days",
            Month::counts,
            activity -> List.copyOf(activity.counts(Month.EVENT, Month.SPANS).values())),
    UNION(
            "union",
            "how many ids were active on at least one of the thirty days",
            month -> List.of(month.union()),
            activity -> List.of(activity.count(SetExpression.active(Month.EVENT, Month.SPAN)))),
    EVERY_WEEK(
            "every-week",
            "how many ids were active in each of four weeks",
            month -> List.of(month.everyWeek()),
            activity -> List.of(activity.count(Month.weeks().stream()
                    .map(week -> SetExpression.active(Month.EVENT, week))
                    .reduce(SetExpression::and)
                    .orElseThrow()))),
    RETENTION(
            "retention",
            "of the ids of each day, how many were active on each later day (465 numbers)",
            Month::retention,
            activity -> numbers(activity.retention(Month.EVENT, Month.SPANS)));

    private final String word;
    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
    private final Function<Month, List<Long>> expected;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
    private final Function<Activity, List<Long>> asked;

    Question(String word, String text, Function<Month, List<Long>> expected, Function<Activity, List<Long>> asked) {
        this.word = word;
        this.text = text;
        this.expected = expected;
        this.asked = asked;
    }

    String word() {
        return word;
    }

    String text() {
        return text;
    }

    /** The answer, counted id by id. */
    List<Long> expected(Month month) {
        return expected.apply(month);
    }

    /** The answer of Millrace. */
    List<Long> ask(Activity activity) {
        return asked.apply(activity);
    }

    private static List<Long> numbers(RetentionTable table) {
        return table.cohorts().stream()
                .map(RetentionTable.Cohort::active)
                .flatMap(Collection::stream)
                .toList();
    }
}
