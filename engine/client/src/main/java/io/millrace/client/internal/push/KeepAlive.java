// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import java.time.Duration;

/**
 * Defines when a keep-alive {@code PING} is sent.
 *
 * @param interval time before a {@code PING}, and maximum time for its reply
 * @param fixedRate whether the interval starts at the last {@code PING}, so that {@code PING}s are sent at a fixed
 *     rate. If not, the interval starts at the last bytes received, so that a {@code PING} is sent only on an idle
 *     connection
 */
record KeepAlive(Duration interval, boolean fixedRate) {

    int intervalMillis() {
        return (int) interval.toMillis();
    }
}
