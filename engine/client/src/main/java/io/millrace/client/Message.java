// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A pub/sub message.
 *
 * @param topic the subscribed topic: the channel, or the pattern that matched the channel
 * @param channelBytes name of the channel to which the message was published; must not be modified
 * @param payload raw bytes; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record Message(Topic topic, byte[] channelBytes, byte[] payload) {

    /** The name of the channel as UTF-8 text. */
    public String channel() {
        return new String(channelBytes, StandardCharsets.UTF_8);
    }

    /** The subscribed pattern that matched the channel; empty if the channel was subscribed by name. */
    public Optional<String> pattern() {
        return topic.kind() == Topic.Kind.PATTERN ? Optional.of(topic.text()) : Optional.empty();
    }

    /** The payload as UTF-8 text. */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** Shows only the channel and the size of the payload, because the payload may be a secret. */
    @Override
    public String toString() {
        return "Message[channel=" + channel() + ", " + payload.length + " bytes]";
    }
}
