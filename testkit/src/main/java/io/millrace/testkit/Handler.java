// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Answers the commands that a {@link FakeRedis} receives.
 *
 * <p>Called once per command, in the order of the commands, on a thread of the connection. Several connections may call
 * the handler at the same time.
 */
@FunctionalInterface
public interface Handler {

    /** A reply to {@code HELLO 3} by a server of version 7. */
    String HELLO = "%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:3\r\n";

    /** A reply to {@code HELLO} by a server that does not know the command. Such a server speaks RESP2 only. */
    String HELLO_UNKNOWN = "-ERR unknown command 'HELLO', with args beginning with: '3' \r\n";

    /** A reply to {@code HELLO 3} by a server that knows the command but speaks RESP2 only. */
    String NO_RESP3 = "-NOPROTO unsupported protocol version\r\n";

    /** The answer to {@code command}. */
    Answer answer(ReceivedCommand command);

    /**
     * The answer that is sent when a connection is accepted, before any command. Redis sends nothing unless it refuses
     * the client.
     */
    default Answer greeting(int connection) {
        return Answer.noReply();
    }

    /**
     * Answers {@code HELLO}, {@code AUTH}, {@code SELECT} and {@code CLIENT} as a server does, and passes all other
     * commands to {@code rest}.
     */
    static Handler afterHandshake(Handler rest) {
        return afterHandshake(HELLO, rest);
    }

    /**
     * Same as {@link #afterHandshake(Handler)}, but with another reply to {@code HELLO}, such as {@link #HELLO_UNKNOWN}
     * and {@link #NO_RESP3}.
     */
    static Handler afterHandshake(String helloReply, Handler rest) {
        return new GreetingHandler(
                rest::greeting, command -> switch (command.name().toUpperCase(Locale.ROOT)) {
                    case "HELLO" -> Answer.reply(helloReply);
                    case "AUTH", "SELECT", "CLIENT" -> Answer.reply("+OK\r\n");
                    default -> rest.answer(command);
                });
    }

    /** Passes the n-th connection to the n-th handler, and all later connections to the last handler. */
    static Handler perConnection(Handler first, Handler... later) {
        List<Handler> all = Stream.concat(Stream.of(first), Stream.of(later)).toList();
        IntFunction<Handler> handlerOf = connection -> all.get(Math.min(connection, all.size() - 1));
        return new GreetingHandler(
                connection -> handlerOf.apply(connection).greeting(connection),
                command -> handlerOf.apply(command.connection()).answer(command));
    }

    /**
     * Sends {@code greeting} when a connection is accepted, for example an error reply and a close. Then answers as
     * this handler does.
     */
    default Handler withGreeting(Answer greeting) {
        return new GreetingHandler(connection -> greeting, this);
    }
}
