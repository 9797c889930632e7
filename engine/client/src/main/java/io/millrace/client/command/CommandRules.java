// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.Locale;
import java.util.Set;

/**
 * Rules that follow from a command's name: whether the client rejects the command, which connections the command may
 * use, and whether the server may block the command. A command that changes its connection must not run on a shared
 * connection, because other callers use the same connection.
 */
final class CommandRules {

    /** The connections on which a command may run. */
    enum AllowedConnection {
        /** The command may run on any connection, including a shared connection. */
        ANY,
        /** Only a dedicated connection: the command changes the state of its connection. */
        DEDICATED
    }

    /**
     * Commands that the client rejects. After such a command, the server no longer sends exactly one reply to each
     * command. The client has separate methods for some of these commands, such as {@code RedisClient.subscribe}, and
     * does not support the others.
     */
    private static final Set<String> NEVER = Set.of(
            "CLIENT REPLY",
            "DISCARD",
            "EXEC",
            "HELLO",
            "MONITOR",
            "MULTI",
            "PSUBSCRIBE",
            "PSYNC",
            "PUNSUBSCRIBE",
            "QUIT",
            "REPLCONF",
            "RESET",
            "SSUBSCRIBE",
            "SUBSCRIBE",
            "SUNSUBSCRIBE",
            "SYNC",
            "UNSUBSCRIBE");

    private static final Set<String> ONLY_DEDICATED = Set.of(
            "ASKING",
            "AUTH",
            "CLIENT CACHING",
            "CLIENT NO-EVICT",
            "CLIENT NO-TOUCH",
            "CLIENT SETINFO",
            "CLIENT SETNAME",
            "CLIENT TRACKING",
            "READONLY",
            "READWRITE",
            "SELECT",
            "UNWATCH",
            "WATCH");

    private static final Set<String> BLOCKING = Set.of(
            "BLMOVE", "BLMPOP", "BLPOP", "BRPOP", "BRPOPLPUSH", "BZMPOP", "BZPOPMAX", "BZPOPMIN", "WAIT", "WAITAOF");

    private static final Set<String> BLOCKING_BY_ARGUMENT = Set.of("XREAD", "XREADGROUP");

    private CommandRules() {}

    static AllowedConnection allowedConnection(String name) {
        if (isOneOf(NEVER, name)) {
            throw new IllegalArgumentException(
                    name + " cannot be sent as a single command, because the client could not match later replies"
                            + " with their commands. Use RedisClient.transaction or RedisClient.subscribe");
        }
        if (name.equalsIgnoreCase("CLIENT")) {
            throw new IllegalArgumentException(
                    "the command name must include the subcommand: \"CLIENT ID\", not \"CLIENT\"");
        }
        return isOneOf(ONLY_DEDICATED, name) ? AllowedConnection.DEDICATED : AllowedConnection.ANY;
    }

    static boolean blocks(String name) {
        return isOneOf(BLOCKING, name);
    }

    /**
     * Returns whether {@code names} contains {@code name}, or the first words of {@code name}. The first words are
     * compared, because {@code name} may consist of a command name and an argument.
     */
    private static boolean isOneOf(Set<String> names, String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (int end = upper.indexOf(' '); end >= 0; end = upper.indexOf(' ', end + 1)) {
            if (names.contains(upper.substring(0, end))) {
                return true;
            }
        }
        return names.contains(upper);
    }

    /** Whether {@code name} is a command that the server may block only if {@code BLOCK} is among the arguments. */
    static boolean blocksByArgument(String name) {
        return isOneOf(BLOCKING_BY_ARGUMENT, name);
    }
}
