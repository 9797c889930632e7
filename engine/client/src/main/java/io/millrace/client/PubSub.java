// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Commands on channels. To subscribe is no command: it changes what its connection is for. */
public final class PubSub {

    /** {@code PUBLISH channel message}: how many clients of this server were told. */
    public static final CommandSpec<Long> PUBLISH =
            CommandSpec.of("PUBLISH", Replies::integer).withoutKey();

    private PubSub() {}

    /** Tells {@code message} to all who have subscribed to {@code channel} now. */
    public static Command<Long> publish(String channel, String message) {
        return Command.of(PUBLISH, channel, message);
    }

    /** The same for a channel and a message of any bytes. */
    public static Command<Long> publish(byte[] channel, byte[] message) {
        return Command.of(PUBLISH, channel, message);
    }
}
