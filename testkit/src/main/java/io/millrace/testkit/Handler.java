// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.Locale;

/**
 * Decides what a {@link FakeRedis} answers.
 *
 * <p>Called once per command, in the order of one connection, on a thread of that connection; several connections call
 * at the same time.
 */
@FunctionalInterface
public interface Handler {

    /** A reply to {@code HELLO 3} as a server of version 7 gives it. */
    String HELLO = "%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:3\r\n";

    /** The answer to {@code command}. */
    Answer answer(ReceivedCommand command);

    /** What is said on accepting a connection, before any command. Redis says nothing unless it refuses the client. */
    default Answer greeting(int connection) {
        return Answer.nothing();
    }

    /** Answers {@code HELLO}, {@code AUTH}, {@code SELECT} and {@code CLIENT} as a server does, and leaves the rest to {@code rest}. */
    static Handler afterHandshake(Handler rest) {
        return command -> switch (command.name().toUpperCase(Locale.ROOT)) {
            case "HELLO" -> Answer.reply(HELLO);
            case "AUTH", "SELECT", "CLIENT" -> Answer.reply("+OK\r\n");
            default -> rest.answer(command);
        };
    }
}
