// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;

/** The remaining time to live of a key. */
public sealed interface TimeToLive {

    /**
     * The key expires.
     *
     * @param left remaining time, in whole milliseconds
     */
    record Expires(Duration left) implements TimeToLive {}

    /** The key exists and has no expiry. */
    record Unlimited() implements TimeToLive {}

    /** The key does not exist. */
    record NoKey() implements TimeToLive {}
}
