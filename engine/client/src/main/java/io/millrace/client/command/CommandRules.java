// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rules that follow from a command's name: whether the client rejects the command, which connections the command may
 * use, and whether the server may block the command. A command must not run on a shared connection if it changes the
 * connection, or depends on the earlier commands of the connection, because other callers use the same connection.
 *
 * <p>DESIGN. An unknown command may run on any connection, because modules and new servers have commands that this
 * class does not list. An unknown subcommand of {@code CLIENT}, {@code SCRIPT} or {@code HIMPORT} needs a dedicated
 * connection, because new subcommands of these commands usually change their connection. {@code CommandKindTest}
 * compares the rules with a reviewed table of all commands, and fails for each command of a server that the table does
 * not contain.
 */
final class CommandRules {

    /** The connections on which a command may run. */
    enum AllowedConnection {
        /** The command may run on any connection, including a shared connection. */
        ANY,
        /** Only a dedicated connection: the command changes or uses the state of its connection. */
        DEDICATED
    }

    private static final String SUBSCRIBE_INSTEAD = "Use RedisClient.subscribe";
    private static final String TRANSACTION_INSTEAD = "Use a Transaction";
    private static final String NOT_SUPPORTED = "Millrace does not support this command";

    /**
     * Commands that the client rejects, and the next step for the caller. After such a command, the server no longer
     * sends exactly one reply to each command.
     */
    private static final Map<String, String> NEVER = Map.ofEntries(
            Map.entry("CLIENT REPLY", "To write without waiting for replies, use RedisClient.bulkWriter"),
            Map.entry("CLUSTER SYNCSLOTS", NOT_SUPPORTED),
            Map.entry("DISCARD", TRANSACTION_INSTEAD),
            Map.entry("EXEC", TRANSACTION_INSTEAD),
            Map.entry("HELLO", "Set the protocol, the user and the password in ClientOptions and RedisUri"),
            Map.entry("MONITOR", NOT_SUPPORTED),
            Map.entry("MULTI", TRANSACTION_INSTEAD),
            Map.entry("PSUBSCRIBE", SUBSCRIBE_INSTEAD),
            Map.entry("PSYNC", NOT_SUPPORTED),
            Map.entry("PUNSUBSCRIBE", SUBSCRIBE_INSTEAD),
            Map.entry("QUIT", "Close the client, or return the borrowed connection"),
            Map.entry("REPLCONF", NOT_SUPPORTED),
            Map.entry("RESET", "Return the borrowed connection, and borrow another"),
            Map.entry("SCRIPT DEBUG", NOT_SUPPORTED),
            Map.entry("SSUBSCRIBE", SUBSCRIBE_INSTEAD),
            Map.entry("SUBSCRIBE", SUBSCRIBE_INSTEAD),
            Map.entry("SUNSUBSCRIBE", SUBSCRIBE_INSTEAD),
            Map.entry("SYNC", NOT_SUPPORTED),
            Map.entry("UNSUBSCRIBE", SUBSCRIBE_INSTEAD));

    /**
     * Commands with subcommands to which different rules apply, and an example of a full name. The name of such a
     * command must include the subcommand: the rules depend only on the name, because a bulk writer receives the
     * arguments later than the name.
     */
    private static final Map<String, String> SUBCOMMAND_REQUIRED =
            Map.of("CLIENT", "CLIENT ID", "CLUSTER", "CLUSTER INFO", "SCRIPT", "SCRIPT LOAD");

    /**
     * Commands that change the state of their connection, and commands that wait for earlier writes of their
     * connection. Without the subcommands of {@link #SHAREABLE}. The replies to {@code COMMAND} do not describe the
     * subcommands of {@code DEBUG}, and one of them changes its connection.
     */
    private static final Set<String> ONLY_DEDICATED = Set.of(
            "ASKING",
            "AUTH",
            "CLIENT",
            "DEBUG",
            "HIMPORT",
            "READONLY",
            "READWRITE",
            "SCRIPT",
            "SELECT",
            "UNWATCH",
            "WAIT",
            "WAITAOF",
            "WATCH");

    /** Subcommands that may run on any connection, although their command is in {@link #ONLY_DEDICATED}. */
    private static final Set<String> SHAREABLE = Set.of(
            "CLIENT GETNAME",
            "CLIENT GETREDIR",
            "CLIENT HELP",
            "CLIENT ID",
            "CLIENT INFO",
            "CLIENT KILL",
            "CLIENT LIST",
            "CLIENT PAUSE",
            "CLIENT TRACKINGINFO",
            "CLIENT UNBLOCK",
            "CLIENT UNPAUSE",
            "SCRIPT EXISTS",
            "SCRIPT FLUSH",
            "SCRIPT HELP",
            "SCRIPT KILL",
            "SCRIPT LOAD",
            "SCRIPT SHOW");

    private static final Set<String> BLOCKING = Set.of(
            "BLMOVE",
            "BLMOVEM",
            "BLMPOP",
            "BLPOP",
            "BRPOP",
            "BRPOPLPUSH",
            "BZMPOP",
            "BZPOPMAX",
            "BZPOPMIN",
            "WAIT",
            "WAITAOF");

    private static final Set<String> BLOCKING_BY_ARGUMENT = Set.of("XREAD", "XREADGROUP");

    private static final Pattern BLOCK_OPTION = Pattern.compile(" BLOCK( |$)", Pattern.CASE_INSENSITIVE);

    private CommandRules() {}

    static AllowedConnection allowedConnection(String name) {
        String nextStep = firstMatch(name, NEVER::get);
        if (nextStep != null) {
            throw new IllegalArgumentException(
                    name + " cannot be sent as a single command, because the client could not match later replies"
                            + " with their commands. " + nextStep);
        }
        String upper = name.toUpperCase(Locale.ROOT);
        String example = SUBCOMMAND_REQUIRED.get(upper);
        if (example != null) {
            throw new IllegalArgumentException(
                    "the command name must include the subcommand: \"" + example + "\", not \"" + upper + "\"");
        }
        return isOneOf(ONLY_DEDICATED, name) && !isOneOf(SHAREABLE, name)
                ? AllowedConnection.DEDICATED
                : AllowedConnection.ANY;
    }

    /** Whether the server may block each command of this name. The name may contain arguments. */
    static boolean blocks(String name) {
        return isOneOf(BLOCKING, name)
                || (blocksByArgument(name) && BLOCK_OPTION.matcher(name).find());
    }

    /** Whether {@code name} is a command that the server may block only if {@code BLOCK} is among the arguments. */
    static boolean blocksByArgument(String name) {
        return isOneOf(BLOCKING_BY_ARGUMENT, name);
    }

    private static boolean isOneOf(Set<String> names, String name) {
        return firstMatch(name, words -> names.contains(words) ? words : null) != null;
    }

    /**
     * Returns the result of {@code find} for {@code name} in upper case, or for the first words of {@code name}; null
     * if there is none. The first words are compared, because {@code name} may consist of a command name and an
     * argument.
     */
    private static @Nullable String firstMatch(String name, Function<String, @Nullable String> find) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (int end = upper.indexOf(' '); end >= 0; end = upper.indexOf(' ', end + 1)) {
            String found = find.apply(upper.substring(0, end));
            if (found != null) {
                return found;
            }
        }
        return find.apply(upper);
    }
}
