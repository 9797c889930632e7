// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.FlushMode;
import redis.clients.jedis.params.ScanParams;

/** What of a server's keys is the lab's. */
public enum Keyspace {

    /** All of them: a server that was started for the lab. */
    WHOLE {
        @Override
        void claim(Jedis control, int database) {}

        @Override
        void reset(Jedis control) {
            control.flushAll(FlushMode.SYNC);
            control.configResetStat();
        }

        @Override
        long count(Jedis control) {
            return control.dbSize();
        }

        @Override
        void leave(Jedis control) {}
    },

    /** Those with the lab's prefix, in a database that holds no others. */
    PREFIX_ALONE {
        @Override
        void claim(Jedis control, int database) {
            removeOwn(control);
            if (holdsForeignKeys(control)) {
                throw new LabException("the database holds keys that are not the lab's: database=" + database
                        + ", keys=" + control.dbSize()
                        + ". Name an empty one with --database, or say --beside-other-keys.");
            }
        }
    },

    /** Those with the lab's prefix, whatever else is there. */
    PREFIX_BESIDE_OTHERS {
        @Override
        void claim(Jedis control, int database) {
            removeOwn(control);
        }
    };

    /** What the keys of the lab's experiments begin with. */
    public static final String PREFIX = "millrace-lab:";

    private static final String REDISSON = "redisson__";

    private static final int BATCH = 5_000;

    /**
     * Between two looks. What is received is carried out between any two commands of another client, so this is plenty.
     */
    private static final Duration QUIET = Duration.ofMillis(100);

    private static final Duration MOST_SETTLING = Duration.ofSeconds(10);

    /**
     * Makes sure, once, that the keys of {@code database}, which {@code control} has selected, may be worked with, and
     * takes away those of an earlier lab that was killed.
     */
    abstract void claim(Jedis control, int database);

    /** Takes the lab's keys away. */
    void reset(Jedis control) {
        removeOwn(control);
    }

    /** How many keys of the lab there are. */
    long count(Jedis control) {
        var distinct = new HashSet<String>(); // a scan may return a key twice
        forEachOwn(control, distinct::addAll);
        return distinct.size();
    }

    /** Leaves no key behind. */
    void leave(Jedis control) {
        settle(control);
    }

    /**
     * Takes the lab's keys away until no more come. A server goes on with what it has received from a client that was
     * killed, and the kernel goes on sending it: that may be megabytes.
     */
    void settle(Jedis control) {
        long start = System.nanoTime();
        do {
            reset(control);
            pause();
        } while (count(control) > 0 && System.nanoTime() - start < MOST_SETTLING.toNanos());
    }

    private static void pause() {
        boolean interrupted = Thread.interrupted(); // or there would be none
        LockSupport.parkNanos(QUIET.toNanos());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** How many keys begin with {@code prefix}, which itself begins with {@link #PREFIX}. */
    static long countOf(Jedis control, String prefix) {
        var distinct = new HashSet<String>(); // a scan may return a key twice
        forEachOwn(
                control,
                batch -> batch.stream().filter(key -> key.startsWith(prefix)).forEach(distinct::add));
        return distinct.size();
    }

    private static void removeOwn(Jedis control) {
        forEachOwn(control, batch -> control.unlink(batch.toArray(String[]::new)));
    }

    private static void forEachOwn(Jedis control, Consumer<List<String>> action) {
        var cursor = ScanParams.SCAN_POINTER_START;
        var pattern = new ScanParams().match("*" + PREFIX + "*").count(BATCH);
        do {
            var page = control.scan(cursor, pattern);
            var own =
                    page.getResult().stream().filter(Keyspace::isOwn).distinct().toList();
            if (!own.isEmpty()) {
                action.accept(own);
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }

    /**
     * Whether a key is the lab's: Redisson keeps what belongs to a map under a word of its own, a colon, and the map's
     * name.
     */
    private static boolean isOwn(String key) {
        return key.startsWith(PREFIX) || (key.startsWith(REDISSON) && key.startsWith(PREFIX, key.indexOf(':') + 1));
    }

    private static boolean holdsForeignKeys(Jedis control) {
        var cursor = ScanParams.SCAN_POINTER_START;
        do {
            var page = control.scan(cursor, new ScanParams().count(BATCH));
            if (page.getResult().stream().anyMatch(key -> !isOwn(key))) {
                return true;
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        return false;
    }
}
