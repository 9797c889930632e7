// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.time.Duration;

/**
 * When the server is asked for a sign of life.
 *
 * @param quiet how long after what {@code steady} says, and how long its answer may take
 * @param steady whether the time runs from the last question, so that one is asked regularly whatever else comes; or from the
 *     last thing heard, so that one is asked only when it has been quiet
 */
record Pulse(Duration quiet, boolean steady) {

    int quietMillis() {
        return (int) quiet.toMillis();
    }
}
