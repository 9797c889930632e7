// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The positions of keys by the names of commands.
 *
 * <p>DESIGN. The table contains the commands of Redis and Valkey whose only key is not the first argument, and a few
 * commands of modules. For a name that is not in the table, the first argument is the key: most commands of servers and
 * modules are of this kind, and new commands usually are too. If the table contains only the first words of a name, the
 * other words of the name count as arguments, but never as keys. So {@code OBJECT} stands for all subcommands of
 * {@code OBJECT}. {@code CommandKeysTest} compares the table with a server.
 *
 * <p>A wrong position is not fatal: the node that receives the command knows the keys, and redirects or refuses the
 * command.
 */
final class KeyTable {

    private static final KeyPositions FIRST_ARGUMENT = KeyPositions.at(0);
    private static final KeyPositions ALL_ARGUMENTS = KeyPositions.range(0, 1, 0);

    private static final Map<String, KeyPositions> BY_NAME = new HashMap<>();

    static {
        addCommandsWithoutKeys();
        addFixedPositions();
        addCountedKeys();
        addPositionsThatDependOnOptions();
        addModules();
    }

    private KeyTable() {}

    /** Returns the positions for commands named {@code name}, which may contain arguments. */
    static KeyPositions of(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        int wordsAfter = 0;
        for (int end = upper.length(); end > 0; end = upper.lastIndexOf(' ', end - 1)) {
            KeyPositions found = BY_NAME.get(upper.substring(0, end));
            if (found != null) {
                return wordsAfter == 0 ? found : without(found, wordsAfter);
            }
            wordsAfter++;
        }
        return FIRST_ARGUMENT;
    }

    /** Returns the positions if the first {@code words} arguments are part of the name. */
    private static KeyPositions without(KeyPositions positions, int words) {
        return switch (positions) {
            case KeyRules.WithoutKeys none -> none;
            // The words of the name are options, and the first key follows the word STREAMS.
            case KeyRules.AfterStreams streams -> streams;
            case KeyRules.Range range
            when range.first() >= words ->
                new KeyRules.Range(
                        range.first() - words,
                        range.step(),
                        range.end() == KeyRules.Range.NO_END ? range.end() : range.end() - words,
                        range.rest());
            // The name contains a key, or the number of the keys. Each node redirects such a command.
            case KeyRules.Range ignored -> KeyPositions.none();
            case KeyRules.Counted ignored -> KeyPositions.none();
            case KeyRules.Stored ignored -> KeyPositions.none();
            case KeyRules.Migrated ignored -> KeyPositions.none();
            case KeyRules.Routed ignored -> KeyPositions.none();
        };
    }

    private static void add(KeyPositions positions, String... names) {
        for (String name : names) {
            BY_NAME.put(name, positions);
        }
    }

    private static void addCommandsWithoutKeys() {
        // Commands with subcommands. None of their subcommands has a key.
        add(KeyPositions.none(), "ACL", "BACKUP", "CLIENT", "CLUSTER", "COMMAND", "COMMANDLOG", "CONFIG", "DEBUG");
        add(KeyPositions.none(), "FUNCTION", "HOTKEYS", "LATENCY", "MODULE", "PUBSUB", "SCRIPT", "SENTINEL", "SLOWLOG");
        add(KeyPositions.none(), "ASKING", "AUTH", "BGREWRITEAOF", "BGSAVE", "DBSIZE", "ECHO", "FAILOVER", "FLUSHALL");
        add(KeyPositions.none(), "FLUSHDB", "INFO", "KEYS", "LASTSAVE", "LOLWUT", "PFSELFTEST", "PING", "PUBLISH");
        add(KeyPositions.none(), "RANDOMKEY", "READONLY", "READWRITE", "REPLICAOF", "ROLE", "SAVE", "SCAN", "SELECT");
        add(KeyPositions.none(), "SHUTDOWN", "SLAVEOF", "SWAPDB", "TIME", "UNWATCH", "WAIT", "WAITAOF");
        // Subcommands without keys. Other subcommands of the same command have a key.
        add(KeyPositions.none(), "MEMORY DOCTOR", "MEMORY HELP", "MEMORY MALLOC-STATS", "MEMORY PURGE", "MEMORY STATS");
        add(KeyPositions.none(), "OBJECT HELP", "XGROUP HELP", "XINFO HELP");
        // HIMPORT SET is the only subcommand of HIMPORT with a key.
        add(KeyPositions.none(), "HIMPORT");
        add(FIRST_ARGUMENT, "HIMPORT SET");
    }

    private static void addFixedPositions() {
        // The subcommand is the first argument if the name does not contain the subcommand.
        add(KeyPositions.at(1), "MEMORY", "OBJECT", "PFDEBUG", "XGROUP", "XINFO");
        add(pair(), "BLMOVE", "BLMOVEM", "BRPOPLPUSH", "COPY", "GEOSEARCHSTORE", "LCS", "LMOVE", "LMOVEM", "RENAME");
        add(pair(), "RENAMENX", "RPOPLPUSH", "SMOVE", "ZRANGESTORE");
        add(ALL_ARGUMENTS, "DEL", "EXISTS", "MGET", "PFCOUNT", "PFMERGE", "SDIFF", "SDIFFSTORE", "SINTER");
        add(ALL_ARGUMENTS, "SINTERSTORE", "SUNION", "SUNIONSTORE", "TOUCH", "UNLINK", "WATCH");
        add(KeyPositions.range(1, 1, 0), "BITOP");
        add(KeyPositions.range(0, 2, 0), "MSET", "MSETNX");
        // The last argument is the timeout.
        add(KeyPositions.range(0, 1, 1), "BLPOP", "BRPOP", "BZPOPMAX", "BZPOPMIN");
        add(new KeyRules.Routed(0), "CLUSTERSCAN", "SPUBLISH");
    }

    private static void addCountedKeys() {
        add(KeyPositions.counted(0), "LMPOP", "SDIFFCARD", "SINTERCARD", "SUNIONCARD", "ZDIFF", "ZINTER");
        add(KeyPositions.counted(0), "ZINTERCARD", "ZMPOP", "ZUNION");
        add(KeyPositions.counted(1), "BLMPOP", "BZMPOP", "EVAL", "EVALSHA", "EVALSHA_RO", "EVAL_RO", "FCALL");
        add(KeyPositions.counted(1), "FCALL_RO");
        add(new KeyRules.Counted(false, 0, 2), "MSETEX");
        add(new KeyRules.Counted(true, 1, 1), "ZDIFFSTORE", "ZINTERSTORE", "ZUNIONSTORE");
    }

    private static void addPositionsThatDependOnOptions() {
        add(new KeyRules.AfterStreams(1), "XREAD");
        add(new KeyRules.AfterStreams(4), "XREADGROUP");
        add(new KeyRules.Stored(1), "SORT");
        add(new KeyRules.Stored(5), "GEORADIUS");
        add(new KeyRules.Stored(4), "GEORADIUSBYMEMBER");
        add(new KeyRules.Migrated(), "MIGRATE");
    }

    private static void addModules() {
        add(KeyPositions.at(1), "JSON.DEBUG");
        add(pair(), "TS.CREATERULE", "TS.DELETERULE");
        add(KeyPositions.range(0, 1, 1), "JSON.MGET");
        add(KeyPositions.range(0, 3, 0), "JSON.MSET", "TS.MADD");
        add(new KeyRules.Counted(true, 1, 1), "CMS.MERGE", "TDIGEST.MERGE");
    }

    /** The first two arguments are keys. */
    private static KeyPositions pair() {
        return new KeyRules.Range(0, 1, 2, 0);
    }
}
