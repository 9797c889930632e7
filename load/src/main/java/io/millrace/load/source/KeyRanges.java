// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Divides the whole numbers between a smallest and a largest value into ranges of about equal length. */
final class KeyRanges {

    private KeyRanges() {}

    /** The smallest and the largest value of a column. */
    record Bounds(BigInteger smallest, BigInteger largest) {

        static Bounds of(long smallest, long largest) {
            if (smallest > largest) {
                throw new IllegalArgumentException(
                        "smallest=" + smallest + " is above largest=" + largest + "; exchange them");
            }
            return new Bounds(BigInteger.valueOf(smallest), BigInteger.valueOf(largest));
        }
    }

    /**
     * Returns the conditions of at most {@code count} ranges. Each row satisfies exactly one of them: the first range
     * has no lower bound and the last has no upper bound, so that rows beyond the values that were read before are not
     * lost. NULL belongs to the last range.
     *
     * @param column quoted name of the column
     */
    static List<String> conditions(String column, Bounds bounds, int count) {
        BigInteger smallest = bounds.smallest();
        BigInteger values = bounds.largest().subtract(smallest).add(BigInteger.ONE);
        BigInteger ranges = values.min(BigInteger.valueOf(count));
        List<String> conditions = new ArrayList<>();
        String from = "";
        for (int i = 1; i < ranges.intValueExact(); i++) {
            BigInteger bound =
                    smallest.add(values.multiply(BigInteger.valueOf(i)).divide(ranges));
            conditions.add(from + column + " < " + bound);
            from = column + " >= " + bound + " AND ";
        }
        conditions.add(
                from.isEmpty()
                        ? "1 = 1"
                        : "(" + from.substring(0, from.length() - " AND ".length()) + " OR " + column + " IS NULL)");
        return conditions;
    }
}
