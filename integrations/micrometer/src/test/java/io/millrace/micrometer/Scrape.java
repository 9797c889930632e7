// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** A registry of Prometheus, and its text. */
final class Scrape {

    final PrometheusMeterRegistry meters =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT).throwExceptionOnRegistrationFailure();

    String text() {
        return meters.scrape();
    }

    /** The lines with a value whose names begin with {@code prefix}. */
    List<String> lines(String prefix) {
        return text().lines().filter(line -> line.startsWith(prefix)).toList();
    }

    /**
     * The value of the only line that begins with {@code prefix}.
     *
     * @param prefix the name with all its labels, or with the first of them
     */
    double value(String prefix) {
        List<String> lines = lines(prefix);
        if (lines.size() != 1) {
            throw new AssertionError("not one line: prefix=" + prefix + ", lines=" + lines + ", all=" + text());
        }
        return Double.parseDouble(lines.getFirst().substring(lines.getFirst().lastIndexOf(' ')));
    }

    /** The whole number that {@link #value} returns. */
    long count(String prefix) {
        return Math.round(value(prefix));
    }
}
