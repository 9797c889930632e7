// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.library.BitByBit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a month is said to hold, beside plain sets of the ids in its bitmaps. */
class MonthTest {

    private static final Month MONTH = new Month(5_003);

    private final List<Set<Long>> days = MONTH.bitmaps().stream()
            .map(bitmap -> LongStream.range(0, 8L * bitmap.length)
                    .filter(id -> BitByBit.isSet(bitmap, id))
                    .boxed()
                    .collect(Collectors.toSet()))
            .toList();

    @Test
    void aboutAQuarterIsThereOnADayAndFewerAtFirst() {
        assertThat(days).hasSize(Month.DAYS).allSatisfy(day -> {
            assertThat(day.size()).isBetween(5_003 / 8, 5_003 / 2);
            assertThat(day).allMatch(id -> id < 5_003);
        });
        assertThat(days.getLast().size()).isGreaterThan(days.getFirst().size());
    }

    @Test
    void countsAndUnionsAreThoseOfSets() {
        var all = union(0, Month.DAYS);

        assertThat(MONTH.counts())
                .isEqualTo(days.stream().map(day -> (long) day.size()).toList());
        assertThat(MONTH.union()).isEqualTo(all.size()).isLessThan(MONTH.ids());
    }

    @Test
    void thoseOfEveryWeekAreInFourUnions() {
        var everyWeek = union(0, 7);
        everyWeek.retainAll(union(7, 14));
        everyWeek.retainAll(union(14, 21));
        everyWeek.retainAll(union(21, 28));

        assertThat(MONTH.everyWeek()).isEqualTo(everyWeek.size()).isPositive();
        assertThat(Month.weeks().getLast()).containsExactlyElementsOf(Month.SPANS.subList(21, 28));
    }

    @Test
    void retentionAndCohortsAreIntersectionsOfSets() {
        var retention = new ArrayList<Long>();
        var cohorts = new ArrayList<Long>();
        for (int row = 0; row < Month.DAYS; row++) {
            var first = new HashSet<>(days.get(row));
            first.removeAll(union(0, row));
            for (int later = row; later < Month.DAYS; later++) {
                retention.add(common(days.get(row), days.get(later)));
                cohorts.add(common(first, days.get(later)));
            }
        }

        assertThat(MONTH.retention()).isEqualTo(retention).hasSize(465);
        assertThat(MONTH.cohorts()).isEqualTo(cohorts).isNotEqualTo(retention);
    }

    private Set<Long> union(int from, int to) {
        var union = new HashSet<Long>();
        days.subList(from, to).forEach(union::addAll);
        return union;
    }

    private static long common(Set<Long> one, Set<Long> other) {
        return one.stream().filter(other::contains).count();
    }
}
