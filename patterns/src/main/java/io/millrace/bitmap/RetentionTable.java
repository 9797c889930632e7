// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Who came back: for each cohort how many of it were active in its own span and in each of the later ones. */
public record RetentionTable(List<Cohort> cohorts) {

    public RetentionTable {
        cohorts = List.copyOf(cohorts);
    }

    /**
     * Those of one span.
     *
     * @param span theirs
     * @param active how many of them were active in it, which is all of them, one span later, two spans later, …
     */
    public record Cohort(Span span, List<Long> active) {

        public Cohort {
            active = List.copyOf(active);
            Ranges.check("spans of a cohort", active.size(), 1, Integer.MAX_VALUE);
        }

        /** How many there are. */
        public long size() {
            return active.getFirst();
        }

        /**
         * Which part of them was active {@code later} spans later, 0 to 1; 0 if there are none.
         *
         * @param later 0 to one less than there are counts
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

    /** The table as lines to read: each cohort's span, its size, and per cent of it in the spans after. */
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
