// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.OutcomeCounts;

/** Converts the command counts of a client to {@link OutcomeCounts}, the record of the test kit. */
final class StatsAdapter {

    private StatsAdapter() {}

    static OutcomeCounts of(CommandCounts counts) {
        return new OutcomeCounts(
                counts.submitted(),
                counts.ok(),
                counts.error(),
                counts.timedOut(),
                counts.refused(),
                counts.lost(),
                counts.pending());
    }
}
