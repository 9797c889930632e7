// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A scale from values to pixels.
 *
 * @param isLogarithmic for latencies, which span several powers of ten
 */
record Axis(double from, double to, double firstPixel, double lastPixel, boolean isLogarithmic) {

    /** A linear axis that begins at zero and ends at the first tick from {@code max}. */
    static Axis linear(double max, double firstPixel, double lastPixel) {
        double end = max > 0 ? max : 1;
        double step = step(end, 5);
        return new Axis(0, Math.ceil(end / step - 1e-9) * step, firstPixel, lastPixel, false);
    }

    /** A linear axis that begins a little below {@code min} and ends a little above {@code max}. */
    static Axis span(double min, double max, double firstPixel, double lastPixel) {
        double margin = max > min ? (max - min) * 0.05 : Math.max(Math.abs(max), 1) * 0.1;
        return new Axis(min - margin, max + margin, firstPixel, lastPixel, false);
    }

    /** A logarithmic axis of whole powers of ten. */
    static Axis logarithmic(double min, double max, double firstPixel, double lastPixel) {
        double from = Math.pow(10, Math.floor(Math.log10(min)));
        double to = Math.pow(10, Math.ceil(Math.log10(max)));
        return new Axis(from, Math.max(to, from * 10), firstPixel, lastPixel, true);
    }

    /** The place of {@code value}; values outside the axis are put at its ends. */
    double at(double value) {
        double inside = Math.min(to, Math.max(from, value));
        double part = isLogarithmic ? Math.log(inside / from) / Math.log(to / from) : (inside - from) / (to - from);
        return firstPixel + part * (lastPixel - firstPixel);
    }

    List<Double> ticks(int atMost) {
        List<Double> ticks = new ArrayList<>();
        if (isLogarithmic) {
            for (double tick = from; tick <= to * 1.001; tick *= 10) {
                ticks.add(tick);
            }
            return ticks;
        }
        double step = step(to - from, atMost);
        for (long i = (long) Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-3; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    /** The smallest of 1, 2, 5, 10, … that needs no more than {@code atMost} steps up to {@code max}. */
    private static double step(double max, int atMost) {
        double power = Math.pow(10, Math.floor(Math.log10(max / atMost)));
        for (double factor : new double[] {1, 2, 5, 10}) {
            if (max / (power * factor) <= atMost + 1e-9) {
                return power * factor;
            }
        }
        return power * 10;
    }
}
