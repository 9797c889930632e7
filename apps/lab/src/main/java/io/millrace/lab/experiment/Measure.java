// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/**
 * The figure by which the contenders of a scenario are compared.
 *
 * @param name what the figure counts, such as {@code commands per second}
 * @param lessIsBetter true for a duration or a size, false for a rate
 */
public record Measure(String name, Figure figure, boolean lessIsBetter) {

    /** Operations per second of wall time. */
    public static Measure rate(String unit) {
        return new Measure(unit + " per second", Figure.PER_SECOND, false);
    }
}
