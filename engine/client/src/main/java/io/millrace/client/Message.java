// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A message of a channel.
 *
 * @param pattern the pattern that the channel matched; empty if it was subscribed to by name
 * @param payload any bytes; not to be written to
 */
@SuppressWarnings("ArrayRecordComponent")
public record Message(String channel, Optional<String> pattern, byte[] payload) {

    /** The payload as UTF-8 text. */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** Only channel and size: the payload may be a secret. */
    @Override
    public String toString() {
        return "Message[channel=" + channel + ", " + payload.length + " bytes]";
    }
}
