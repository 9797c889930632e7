// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A pub/sub message.
 *
 * @param pattern the subscribed pattern that matched the channel; empty if the channel was subscribed by name
 * @param payload raw bytes; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record Message(String channel, Optional<String> pattern, byte[] payload) {

    /** The payload as UTF-8 text. */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** Shows only the channel and the size of the payload, because the payload may be a secret. */
    @Override
    public String toString() {
        return "Message[channel=" + channel + ", " + payload.length + " bytes]";
    }
}
