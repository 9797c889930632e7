// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Result;

/**
 * A command in a pipeline that adds marks.
 *
 * @param reply the number of new marks; negative if the span has expired
 * @param marks the number of marks
 */
record SentMarks(Result<Long> reply, int marks) {

    /** Returns the result of the command after its pipeline has run. */
    MarkCounts counts() {
        return MarkCounts.of(reply.value(), marks);
    }
}
