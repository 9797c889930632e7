// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.lab.contender.MillraceBulkWriter;
import io.millrace.lab.run.CheckOfCalls;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;

/** Commands for {@link FusedBulk}, and what they are to find and to leave. */
interface BulkData extends MillraceBulkWriter.Commands, CheckOfCalls {

    /** How many there are if {@code asked} are asked for. */
    default long operations(long asked) {
        return asked;
    }

    /** Puts on the empty server what they are to find there. */
    default void fill(RedisServer server, long operations) {}

    // Not asked for: the writer keeps an account.
    @Override
    default Outcomes outcomes(RedisServer server, long operations) {
        return Outcomes.answered(operations, 0);
    }
}
