// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import java.time.Duration;

/**
 * Defines when a keep-alive {@code PING} is sent.
 *
 * @param interval time from the start of the interval to the {@code PING}; also the maximum time from the {@code PING}
 *     to its reply
 * @param fixedRate whether {@code PING}s are sent at a fixed rate. If true, the interval starts when the last {@code
 *     PING} is sent. If false, the interval starts when the last bytes are received, so that a {@code PING} is sent
 *     only on an idle connection
 */
record KeepAlive(Duration interval, boolean fixedRate) {

    int intervalMillis() {
        return (int) interval.toMillis();
    }
}
