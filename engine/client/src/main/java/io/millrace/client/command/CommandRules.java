// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.Locale;
import java.util.Set;

/**
 * Rules that follow from a command's name. The rules protect the other callers of a shared connection from commands
 * that change the connection.
 */
final class CommandRules {

    /** The connections on which a command may run. */
    enum AllowedConnection {
        /** Any connection, also a shared one. */
        ANY,
        /** Only a dedicated connection: the command changes the state of its connection. */
        DEDICATED
    }

    /**
     * Commands that are rejected, because after them the replies no longer match the commands one to one. Such commands
     * have separate methods or are not supported.
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
                    name + " changes which reply belongs to which command, so it cannot be sent as a single command."
                            + " Use RedisClient.transaction or RedisClient.subscribe");
        }
        if (name.equalsIgnoreCase("CLIENT")) {
            throw new IllegalArgumentException("name the subcommand too: \"CLIENT ID\", not \"CLIENT\"");
        }
        return isOneOf(ONLY_DEDICATED, name) ? AllowedConnection.DEDICATED : AllowedConnection.ANY;
    }

    static boolean blocks(String name) {
        return isOneOf(BLOCKING, name);
    }

    /**
     * Whether {@code name} or its first words are in {@code names}. The first words count, because the caller may have
     * written an argument into the name.
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

    /** Whether the server blocks {@code name} if, and only if, {@code BLOCK} is among the arguments. */
    static boolean blocksByArgument(String name) {
        return isOneOf(BLOCKING_BY_ARGUMENT, name);
    }
}
