// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import java.time.Duration;

/**
 * When the server gets a keep-alive {@code PING}.
 *
 * @param interval time before a {@code PING}, and maximum time for its reply
 * @param fixedRate whether the time runs from the last {@code PING}, so that they are sent at a fixed rate; if not, the
 *     time runs from the last bytes received, so that they are sent only on an idle connection
 */
record KeepAlive(Duration interval, boolean fixedRate) {

    int intervalMillis() {
        return (int) interval.toMillis();
    }
}
