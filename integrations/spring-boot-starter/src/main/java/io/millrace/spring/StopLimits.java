// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;

/**
 * How long the end of a run may take.
 *
 * @param replies maximum wait for the replies of the rows in flight, after a stop
 * @param thread maximum wait for the thread of a load whose connections are closed
 * @param listeners maximum wait of a shutdown for the listeners of {@link LoadEnded}, after the ends of all runs
 */
record StopLimits(Duration replies, Duration thread, Duration listeners) {

    /** Waits for replies as long as the command line. */
    static final StopLimits DEFAULT =
            new StopLimits(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(1));
}
