// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * A range of scores from {@code min} to {@code max}. An empty range is valid.
 *
 * @param min lower bound; may be negative infinity
 * @param withMin whether {@code min} is included
 * @param max upper bound; may be positive infinity
 * @param withMax whether {@code max} is included
 */
public record ScoreRange(double min, boolean withMin, double max, boolean withMax) {

    /** All scores. */
    public static final ScoreRange ALL = closed(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    public ScoreRange {
        Arguments.real("min", min);
        Arguments.real("max", max);
    }

    /** From {@code min} to {@code max}, both included. */
    public static ScoreRange closed(double min, double max) {
        return new ScoreRange(min, true, max, true);
    }

    /** From {@code min}, included, to {@code max}, excluded. */
    public static ScoreRange closedOpen(double min, double max) {
        return new ScoreRange(min, true, max, false);
    }

    /** From {@code min}, excluded, to {@code max}, included. */
    public static ScoreRange openClosed(double min, double max) {
        return new ScoreRange(min, false, max, true);
    }

    /** From {@code min} to {@code max}, both excluded. */
    public static ScoreRange open(double min, double max) {
        return new ScoreRange(min, false, max, false);
    }

    /** The lower bound in the server's notation. */
    String lowerEnd() {
        return (withMin ? "" : "(") + Arguments.real("min", min);
    }

    /** The upper bound in the server's notation. */
    String upperEnd() {
        return (withMax ? "" : "(") + Arguments.real("max", max);
    }
}
