// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.math.BigDecimal;
import java.math.MathContext;
import tools.jackson.databind.node.ObjectNode;

/** Numbers of the report: six significant digits, and null for a number that is not known. */
final class JsonNumbers {

    private static final MathContext DIGITS = new MathContext(6);

    static void put(ObjectNode node, String name, double value) {
        if (Double.isFinite(value)) {
            node.put(name, rounded(value));
        } else {
            node.putNull(name);
        }
    }

    static double rounded(double value) {
        return new BigDecimal(value).round(DIGITS).doubleValue();
    }

    static void put(ObjectNode node, String name, Estimate estimate) {
        if (!estimate.isKnown()) {
            node.putNull(name);
            return;
        }
        ObjectNode object = node.putObject(name);
        put(object, "median", estimate.median());
        put(object, "low", estimate.low());
        put(object, "high", estimate.high());
    }

    private JsonNumbers() {}
}
