// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** What a flow that is to stop does with the tasks that it has. Either way it fetches no more, and interrupts its sources. */
public enum OnStop {
    /** Does all that were fetched. */
    DRAIN,
    /** Interrupts those that are being done, and begins no other. */
    DROP
}
