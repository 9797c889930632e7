// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Locale;
import java.util.Set;

/** What must be known of a command by its name alone, because a mistake would hurt others than its caller. */
final class CommandNames {

    /** Where a command may run. */
    enum Place {
        /** On a connection that is shared with others. */
        ANYWHERE,
        /** Only on a dedicated connection: it changes what later commands on its connection mean. */
        DEDICATED
    }

    /** After these the n-th reply is no longer that of the n-th command. They have ways of their own, or none. */
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

    private CommandNames() {}

    static Place placeOf(String name) {
        if (isOneOf(NEVER, name)) {
            throw new IllegalArgumentException(
                    name + " changes which reply belongs to which command, so it cannot be sent like a command. Use"
                            + " RedisClient.transaction or RedisClient.subscribe");
        }
        if (name.equalsIgnoreCase("CLIENT")) {
            throw new IllegalArgumentException("name the subcommand too: \"CLIENT ID\", not \"CLIENT\"");
        }
        return isOneOf(ONLY_DEDICATED, name) ? Place.DEDICATED : Place.ANYWHERE;
    }

    static boolean blocks(String name) {
        return isOneOf(BLOCKING, name);
    }

    /** Whether {@code name}, or its first words, is in {@code names}: somebody may have put an argument into the name. */
    private static boolean isOneOf(Set<String> names, String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (int end = upper.indexOf(' '); end >= 0; end = upper.indexOf(' ', end + 1)) {
            if (names.contains(upper.substring(0, end))) {
                return true;
            }
        }
        return names.contains(upper);
    }

    /** Whether {@code name} waits on the server if, and only if, {@code BLOCK} is among its arguments. */
    static boolean blocksByArgument(String name) {
        return isOneOf(BLOCKING_BY_ARGUMENT, name);
    }
}
