// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Scores from {@code min} to {@code max}. A range that holds nothing is no error.
 *
 * @param min may be negative infinity
 * @param max may be infinite
 * @param withMin whether {@code min} itself belongs to it
 * @param withMax whether {@code max} itself belongs to it
 */
public record ScoreRange(double min, boolean withMin, double max, boolean withMax) {

    /** Every score. */
    public static final ScoreRange ALL = closed(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    public ScoreRange {
        Arguments.real("min", min);
        Arguments.real("max", max);
    }

    /** From {@code min} to {@code max}, both included. */
    public static ScoreRange closed(double min, double max) {
        return new ScoreRange(min, true, max, true);
    }

    /** From {@code min} to below {@code max}. */
    public static ScoreRange closedOpen(double min, double max) {
        return new ScoreRange(min, true, max, false);
    }

    /** From above {@code min} to {@code max}. */
    public static ScoreRange openClosed(double min, double max) {
        return new ScoreRange(min, false, max, true);
    }

    /** Above {@code min} and below {@code max}. */
    public static ScoreRange open(double min, double max) {
        return new ScoreRange(min, false, max, false);
    }

    /** The lower end as the server reads it. */
    String lowerEnd() {
        return (withMin ? "" : "(") + Arguments.real("min", min);
    }

    /** The upper end as the server reads it. */
    String upperEnd() {
        return (withMax ? "" : "(") + Arguments.real("max", max);
    }
}
