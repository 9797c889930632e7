// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Answers the commands that a {@link FakeRedis} receives.
 *
 * <p>The fake server calls the handler once for each command, on the reader thread of the connection. Commands of one
 * connection arrive in order. Several connections may call the handler at the same time.
 */
@FunctionalInterface
public interface Handler {

    /** The reply of Redis 7 to {@code HELLO 3}. */
    String HELLO = "%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:3\r\n";

    /**
     * The reply to {@code HELLO} of an old server that does not know this command. Such a server supports RESP2 only.
     */
    String HELLO_UNKNOWN = "-ERR unknown command 'HELLO', with args beginning with: '3' \r\n";

    /** The reply to {@code HELLO 3} of a server that knows {@code HELLO} but supports RESP2 only. */
    String NO_RESP3 = "-NOPROTO unsupported protocol version\r\n";

    /** The answer to {@code command}. */
    Answer answer(ReceivedCommand command);

    /**
     * The answer that the server sends at once when it has accepted a connection. Redis sends such a greeting only if
     * it refuses the client.
     */
    default Answer greeting(int connection) {
        return Answer.noReply();
    }

    /**
     * The answer to a {@linkplain ReceivedCommand#isPermissionTest permission test}. {@link FakeRedis} does not record
     * these commands and does not pass them to {@link #answer}. The same applies to the {@code MULTI} before and the
     * {@code DISCARD} after them, which succeed. Here the user may run all commands: the server replies {@code +QUEUED}.
     */
    default Answer permissionTest(ReceivedCommand command) {
        return Answer.reply("+QUEUED\r\n");
    }

    /**
     * Answers {@code HELLO}, {@code AUTH}, {@code SELECT} and {@code CLIENT} with success, and passes all other
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
        return new CombinedHandler(rest::greeting, rest::permissionTest, command -> switch (command.name()
                .toUpperCase(Locale.ROOT)) {
            case "HELLO" -> Answer.reply(helloReply);
            case "AUTH", "SELECT", "CLIENT" -> Answer.reply("+OK\r\n");
            default -> rest.answer(command);
        });
    }

    /**
     * Passes the commands of the n-th connection to the n-th handler. If there are more connections than handlers, the
     * last handler answers them.
     */
    static Handler perConnection(Handler first, Handler... later) {
        List<Handler> all = Stream.concat(Stream.of(first), Stream.of(later)).toList();
        IntFunction<Handler> handlerOf = connection -> all.get(Math.min(connection, all.size() - 1));
        return new CombinedHandler(
                connection -> handlerOf.apply(connection).greeting(connection),
                command -> handlerOf.apply(command.connection()).permissionTest(command),
                command -> handlerOf.apply(command.connection()).answer(command));
    }

    /**
     * Returns a new handler. It sends {@code greeting} when a connection is accepted, for example an error reply and
     * then the end of the connection. It passes the commands to this handler.
     */
    default Handler withGreeting(Answer greeting) {
        return new CombinedHandler(connection -> greeting, this::permissionTest, this);
    }

    /** Returns a new handler. It answers permission tests with {@code tests}, and passes other commands to this handler. */
    default Handler withPermissionTests(Function<ReceivedCommand, Answer> tests) {
        return new CombinedHandler(this::greeting, tests, this);
    }
}
