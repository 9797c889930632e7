// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** How a flow stops. In both cases the flow fetches no more tasks and interrupts its sources. */
public enum OnStop {
    /** Execute all fetched tasks. */
    DRAIN,
    /** Interrupt the running tasks and start no further task. */
    DROP
}
