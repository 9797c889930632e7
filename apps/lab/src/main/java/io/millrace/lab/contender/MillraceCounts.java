// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.CommandCounts;
import io.millrace.lab.run.Outcomes;

/** Millrace's own account in the words of the lab. */
final class MillraceCounts {

    /** What became of the commands of {@code counts}; those that are pending are in none. */
    static Outcomes outcomes(CommandCounts counts) {
        return new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost());
    }

    private MillraceCounts() {}
}
