// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;

/** How long a key is still there. */
public sealed interface TimeToLive {

    /**
     * It expires.
     *
     * @param left until then, in whole milliseconds
     */
    record Expires(Duration left) implements TimeToLive {}

    /** It is there and has no expiry. */
    record Unlimited() implements TimeToLive {}

    /** It is not there. */
    record NoKey() implements TimeToLive {}
}
