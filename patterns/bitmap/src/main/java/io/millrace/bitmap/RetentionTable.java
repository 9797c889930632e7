// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A retention table. For each cohort, the table contains the number of ids that were active in the span of the cohort,
 * and the number of these ids that were active in each later span.
 */
public record RetentionTable(List<Cohort> cohorts) {

    public RetentionTable {
        cohorts = List.copyOf(cohorts);
    }

    /**
     * One row of the table.
     *
     * @param span the span of the cohort
     * @param active the number of active ids in this span (the whole cohort), one span later, two spans later, and so
     *     on
     */
    public record Cohort(Span span, List<Long> active) {

        public Cohort {
            active = List.copyOf(active);
            Setting.checkArgument("spans of a cohort", active.size(), 1, Integer.MAX_VALUE);
        }

        /** Returns the number of ids in the cohort. */
        public long size() {
            return active.getFirst();
        }

        /**
         * Returns the share of the cohort that was active {@code later} spans after the first span of the cohort, 0 to
         * 1. Returns 0 for an empty cohort.
         *
         * @param later 0 to {@code active().size() - 1}
         */
        public double share(int later) {
            return size() == 0 ? 0 : (double) active.get(later) / size();
        }
    }

    static RetentionTable of(List<Span> spans, long[][] common) {
        List<Cohort> cohorts = new ArrayList<>();
        for (int row = 0; row < spans.size(); row++) {
            List<Long> active = new ArrayList<>();
            for (int column = row; column < spans.size(); column++) {
                active.add(common[row][column]);
            }
            cohorts.add(new Cohort(spans.get(row), active));
        }
        return new RetentionTable(cohorts);
    }

    /**
     * Returns the table as text, one line per cohort: its span, its size, and its retention in percent in each later
     * span.
     */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Cohort cohort : cohorts) {
            text.append(String.format(Locale.ROOT, "%-13s %,13d", cohort.span(), cohort.size()));
            for (int later = 1; later < cohort.active().size(); later++) {
                text.append(String.format(Locale.ROOT, " %5.1f%%", 100 * cohort.share(later)));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
