// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.FlushMode;
import redis.clients.jedis.params.ScanParams;

/** Which keys of a server the lab may read, count and remove. */
public enum Keyspace {

    /** All keys. For a server that the lab has started. */
    WHOLE,

    /** The keys of the lab, in a database that holds no other keys. */
    PREFIX_ALONE,

    /** The keys of the lab, in a database that may hold other keys. */
    PREFIX_BESIDE_OTHERS;

    /** All names of the lab's experiments begin with this prefix. A library may put a prefix of its own before a name. */
    public static final String PREFIX = "millrace-lab:";

    /** The server of Millrace puts this prefix before the name of a value. */
    public static final String SERVER_VALUES = "millrace:value:";

    private static final String REDISSON = "redisson__";

    private static final int PAGE = 5_000;

    /**
     * Removes the keys of an earlier lab that was killed. Then checks that the lab may use the selected database.
     *
     * @throws LabException if the database holds keys that do not belong to the lab, and this keyspace excludes them
     */
    void claim(Jedis node, int database) {
        if (this == WHOLE) {
            return;
        }
        removeAll(node);
        if (this == PREFIX_ALONE && holdsForeignKeys(node)) {
            throw new LabException("the database holds keys that do not belong to the lab: database=" + database
                    + ", keys=" + node.dbSize() + ". Select an empty one with --database, or use --beside-other-keys.");
        }
    }

    /** Removes all keys of this keyspace from one node. */
    void removeAll(Jedis node) {
        if (this == WHOLE) {
            node.flushAll(FlushMode.SYNC);
            return;
        }
        forEachPage(node, PREFIX, keys -> {
            try (var pipeline = node.pipelined()) { // In a cluster, a command may not have keys of several slots.
                keys.forEach(pipeline::unlink);
            }
        });
    }

    /** Number of keys of this keyspace on one node. */
    long count(Jedis node) {
        return this == WHOLE ? node.dbSize() : countOf(node, PREFIX);
    }

    /** Number of keys on one node that begin with {@code prefix}, which itself begins with {@link #PREFIX}. */
    static long countOf(Jedis node, String prefix) {
        Set<String> distinct = new HashSet<>(); // A scan may return a key twice.
        forEachPage(
                node,
                prefix,
                keys -> keys.stream()
                        .filter(key -> prefix.equals(PREFIX) || key.startsWith(prefix))
                        .forEach(distinct::add));
        return distinct.size();
    }

    private static void forEachPage(Jedis node, String prefix, Consumer<List<String>> action) {
        String cursor = ScanParams.SCAN_POINTER_START;
        var pattern = new ScanParams().match("*" + prefix + "*").count(PAGE);
        do {
            var page = node.scan(cursor, pattern);
            List<String> keys =
                    page.getResult().stream().filter(Keyspace::isOwn).distinct().toList();
            if (!keys.isEmpty()) {
                action.accept(keys);
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }

    /** Redisson stores the parts of a map under names such as {@code redisson__timeout__set:<name of the map>}. */
    private static boolean isOwn(String key) {
        return key.startsWith(PREFIX)
                || key.startsWith(SERVER_VALUES + PREFIX)
                || (key.startsWith(REDISSON) && key.startsWith(PREFIX, key.indexOf(':') + 1));
    }

    private static boolean holdsForeignKeys(Jedis node) {
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            var page = node.scan(cursor, new ScanParams().count(PAGE));
            if (page.getResult().stream().anyMatch(key -> !isOwn(key))) {
                return true;
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        return false;
    }
}
