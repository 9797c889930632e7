// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as text for people. */
final class Formats {

    private static final MathContext DIGITS = new MathContext(3);

    /** Three significant digits; all digits before the decimal point; no exponent. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        BigDecimal rounded = new BigDecimal(value).round(DIGITS);
        if (Math.abs(value) >= 100) {
            return String.format(Locale.ROOT, "%,.0f", rounded);
        }
        return rounded.signum() == 0
                ? "0"
                : rounded.stripTrailingZeros().scale() <= 0
                        ? rounded.toBigInteger().toString()
                        : rounded.stripTrailingZeros().toPlainString();
    }

    /** A ratio with two places below 10, such as {@code 0.87} or {@code 1.00}, and with two digits below 0.1. */
    static String ratio(double value) {
        if (!Double.isFinite(value) || value >= 10 || value == 0) {
            return number(value);
        }
        return value >= 0.1
                ? String.format(Locale.ROOT, "%.2f", value)
                : new BigDecimal(value).round(new MathContext(2)).toPlainString();
    }

    /**
     * The ratio to the best: {@code 0.87} if the difference is proved, {@code ≈ 0.98} if the difference is not proved,
     * and {@code (0.87)} if there are too few rounds for a statement.
     */
    static String ratioToBest(Estimate ratio, String text) {
        if (!ratio.hasEnoughValues()) {
            return "(" + text + ")";
        }
        return ratio.isDistinctFrom(1) ? text : "≈ " + text;
    }

    /** Such as {@code 2.90 (2.85 to 2.96)}. */
    static String ratio(Estimate ratio) {
        if (ratio.count() == 1) {
            return ratio(ratio.median());
        }
        return ratio.isKnown()
                ? ratio(ratio.median()) + " (" + ratio(ratio.low()) + " to " + ratio(ratio.high()) + ")"
                : "–";
    }

    /** Such as {@code 184,000 (180,000 to 190,000)}; without interval if there is only one value. */
    static String estimate(Estimate estimate) {
        return estimate.count() < 2
                ? number(estimate.median())
                : number(estimate.median()) + " (" + number(estimate.low()) + " to " + number(estimate.high()) + ")";
    }

    /** How much better or worse something is, as a factor of at least 1, or {@code ≈} without a proved difference. */
    static String comparison(Estimate lead, String better, String worse) {
        if (!lead.isDistinctFrom(1)) {
            return ratioToBest(lead, ratio(lead));
        }
        return lead.median() > 1 ? better + " by " + ratio(lead) : worse + " by " + ratio(lead.inverse());
    }

    private Formats() {}
}
