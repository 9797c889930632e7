// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Stream;

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

    /** A reply to {@code HELLO} of a server too old to know the command: it speaks RESP2 alone. */
    String HELLO_UNKNOWN = "-ERR unknown command 'HELLO', with args beginning with: '3' \r\n";

    /** A reply to {@code HELLO 3} of a server that knows the command but speaks RESP2 alone. */
    String NO_RESP3 = "-NOPROTO unsupported protocol version\r\n";

    /** The answer to {@code command}. */
    Answer answer(ReceivedCommand command);

    /** What is said on accepting a connection, before any command. Redis says nothing unless it refuses the client. */
    default Answer greeting(int connection) {
        return Answer.nothing();
    }

    /** Answers {@code HELLO}, {@code AUTH}, {@code SELECT} and {@code CLIENT} as a server does, and leaves the rest to {@code rest}. */
    static Handler afterHandshake(Handler rest) {
        return afterHandshake(HELLO, rest);
    }

    /** The same with another reply to {@code HELLO}, such as {@link #HELLO_UNKNOWN} and {@link #NO_RESP3}. */
    static Handler afterHandshake(String helloReply, Handler rest) {
        return new Greeting(rest::greeting, command -> switch (command.name().toUpperCase(Locale.ROOT)) {
            case "HELLO" -> Answer.reply(helloReply);
            case "AUTH", "SELECT", "CLIENT" -> Answer.reply("+OK\r\n");
            default -> rest.answer(command);
        });
    }

    /** Leaves the n-th connection to the n-th handler, and all later ones to the last. */
    static Handler inTurn(Handler first, Handler... later) {
        List<Handler> all = Stream.concat(Stream.of(first), Stream.of(later)).toList();
        IntFunction<Handler> of = connection -> all.get(Math.min(connection, all.size() - 1));
        return new Greeting(
                connection -> of.apply(connection).greeting(connection),
                command -> of.apply(command.connection()).answer(command));
    }

    /** Says {@code greeting} on accepting a connection, such as an error and an end, and answers as this does. */
    default Handler withGreeting(Answer greeting) {
        return new Greeting(connection -> greeting, this);
    }
}
