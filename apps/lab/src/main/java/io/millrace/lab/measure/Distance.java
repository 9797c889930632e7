// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.Target;
import java.math.BigDecimal;
import java.time.Duration;

/**
 * How far away the server is for contenders.
 *
 * @param target the proxy, or the server itself
 * @param roundTrip what the user asked the proxy to add to a round trip; zero without a proxy
 */
record Distance(Target target, Duration roundTrip) {

    /** Text for messages: empty without a proxy, otherwise such as {@code " at 0.5 ms"}. */
    String text() {
        return roundTrip.isZero()
                ? ""
                : " at "
                        + BigDecimal.valueOf(roundTrip.toNanos(), 6)
                                .stripTrailingZeros()
                                .toPlainString()
                        + " ms";
    }
}
