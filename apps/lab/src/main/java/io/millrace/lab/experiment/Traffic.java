// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.Counters;
import io.millrace.lab.run.Keyspace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A way of issuing increments.
 *
 * @param clients each with a connection of its own
 * @param timeout of one command
 */
record Traffic(String name, int clients, Duration timeout, String note, Style style) {

    /** Counters that are incremented in turn. */
    static final int KEYS = 1_000;

    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_BLOCK = Duration.ofSeconds(1);
    private static final Duration SHORTEST_BLOCK = Duration.ofMillis(200);
    private static final int BLOCKING_CALLBACKS = 10;
    private static final int STEADY_PER_MILLI = 10;
    private static final int SEVERAL = 4;

    static final List<Traffic> ALL = List.of(
            new Traffic("sync", 1, USUAL_TIMEOUT, "one thread that waits for each reply", Traffic::callInTurn),
            new Traffic("fire-and-forget", 1, USUAL_TIMEOUT, "one thread that looks at no future", Traffic::flood),
            new Traffic(
                    "blocking-callbacks",
                    1,
                    LONGEST_BLOCK,
                    BLOCKING_CALLBACKS
                            + " commands, each of whose callbacks blocks for as long as the time limit: 1 s, less in short rounds",
                    Traffic::blockInCallbacks),
            new Traffic(
                    "steady-rate",
                    1,
                    USUAL_TIMEOUT,
                    "one thread that issues " + STEADY_PER_MILLI + " commands a millisecond",
                    Traffic::keepPace),
            new Traffic(
                    "several-clients",
                    SEVERAL,
                    USUAL_TIMEOUT,
                    SEVERAL + " clients, one thread each, that look at no future",
                    Traffic::flood));

    /** What the threads do. */
    @FunctionalInterface
    interface Style {
        void run(List<Counters> clients, Totals totals, Duration time) throws Exception;
    }

    /** The counter for the n-th command. */
    static String key(long n) {
        return Keyspace.PREFIX + "counter:" + n % KEYS;
    }

    /** The time limit of a command in rounds of {@code time}: callbacks block for so long, and ten of them may do so in turn. */
    Duration timeout(Duration time) {
        return name.equals("blocking-callbacks") ? block(time) : timeout;
    }

    private static Duration block(Duration time) {
        var part = time.dividedBy(5);
        return part.compareTo(SHORTEST_BLOCK) < 0
                ? SHORTEST_BLOCK
                : part.compareTo(LONGEST_BLOCK) > 0 ? LONGEST_BLOCK : part;
    }

    /** Whether each command is waited for. */
    boolean waits() {
        return name.equals("sync");
    }

    /** Whether as much is issued as the library takes. */
    boolean isFlood() {
        return name.equals("fire-and-forget") || name.equals("several-clients");
    }

    /** Issues for {@code time}, and returns while commands may still be pending. */
    void run(List<Counters> open, Totals totals, Duration time) throws Exception {
        style.run(open, totals, time);
    }

    /** One client, each of whose commands is waited for. */
    static void callInTurn(List<Counters> clients, Totals totals, Duration time) throws Exception {
        long start = System.nanoTime();
        for (long n = 0; System.nanoTime() - start < time.toNanos(); n++) {
            totals.issue();
            totals.settle(clients.getFirst().increment(key(n)));
        }
    }

    private static void flood(List<Counters> clients, Totals totals, Duration time) throws Exception {
        Callers.PLATFORM.run(clients.size(), caller -> {
            long start = System.nanoTime();
            for (long n = 0; System.nanoTime() - start < time.toNanos(); n++) {
                totals.issue();
                clients.get(caller).send(key(n), totals::settle);
            }
        });
    }

    private static void keepPace(List<Counters> clients, Totals totals, Duration time) {
        long start = System.nanoTime();
        long issued = 0;
        for (long passed = 0; passed < time.toNanos(); passed = System.nanoTime() - start) {
            for (long due = passed / 1_000_000 * STEADY_PER_MILLI; issued < due; issued++) {
                totals.issue();
                clients.getFirst().send(key(issued), totals::settle);
            }
            LockSupport.parkNanos(500_000);
        }
    }

    /** What user code does that should not: each callback holds the thread it is given. */
    private static void blockInCallbacks(List<Counters> clients, Totals totals, Duration time) {
        for (int n = 0; n < BLOCKING_CALLBACKS; n++) {
            totals.issue();
            clients.getFirst().send(key(n), ending -> {
                LockSupport.parkNanos(block(time).toNanos());
                totals.settle(ending);
            });
        }
    }
}
