// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.OutcomeCounts;

/** Converts the stats of a client to the testkit's record. */
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
