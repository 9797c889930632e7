// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ReceivedCommand;
import java.util.List;
import java.util.Set;

/**
 * Replies of a fake server to single and fused commands. The server has no keys. The values are constant, and each
 * reply has the type that its command expects.
 */
final class FusionReplies {

    private static final Set<String> HANDSHAKE = Set.of("HELLO", "CLIENT", "AUTH", "SELECT");

    private FusionReplies() {}

    /** Returns a handler that replies like Redis 7.0 in the handshake, and then with the replies of this class. */
    static Handler handler() {
        return Handler.afterHandshake(FusionReplies::to);
    }

    /**
     * Returns a handler that reports the name {@code server}, such as {@code valkey}, and {@code version} in the
     * handshake.
     */
    static Handler handler(String server, String version) {
        return Handler.afterHandshake(hello(server, version), FusionReplies::to);
    }

    private static String hello(String server, String version) {
        return "%3\r\n" + bulk("server") + bulk(server) + bulk("version") + bulk(version) + bulk("proto") + ":3\r\n";
    }

    static Answer to(ReceivedCommand command) {
        return Answer.reply(reply(command));
    }

    private static String reply(ReceivedCommand command) {
        int arguments = command.arguments().size() - 1;
        return switch (command.name()) {
            case "SET", "MSET", "PING" -> "+OK\r\n";
            case "MGET" -> nothing(arguments);
            case "HMGET", "ZMSCORE" -> nothing(arguments - 1);
            case "SMISMEMBER" -> zeros(arguments - 1);
            case "BITFIELD" -> zeros((arguments - 1) / 4);
            case "GET", "HGET", "LPOP", "RPOP", "ZSCORE" -> "_\r\n";
            case "LPUSH", "RPUSH" -> number(arguments - 1);
            case "APPEND" -> number(command.text(2).length());
            case "SETBIT", "SISMEMBER" -> number(0);
            case "ECHO" -> bulk(command.text(1));
            case "EVALSHA" -> groups(Integer.parseInt(command.text(2)));
            default -> number(1);
        };
    }

    private static String number(int value) {
        return ":" + value + "\r\n";
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private static String nothing(int count) {
        return "*" + count + "\r\n" + "_\r\n".repeat(count);
    }

    private static String zeros(int count) {
        return "*" + count + "\r\n" + ":0\r\n".repeat(count);
    }

    private static String groups(int count) {
        return count == 1 ? number(1) : "*" + count + "\r\n" + ":1\r\n".repeat(count);
    }

    /**
     * Returns the commands that {@code server} received, without the commands of the handshakes. Each command is one
     * text.
     */
    static List<String> lines(FakeRedis server) {
        return server.commands().stream()
                .filter(command -> !HANDSHAKE.contains(command.name()))
                .map(ReceivedCommand::line)
                .toList();
    }
}
