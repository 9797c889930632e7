// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.lab.run.CheckOfCalls;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of a {@code SET} and a {@code GET}, shared out among callers: {@code SET key:000000042 value:0000000042}.
 *
 * <p>Every caller has keys of its own and sets them one after the other, again and again, each time to another value. So each
 * of its {@code GET}s has one right answer, and a reply that belongs to somebody else is not it.
 */
public final class PairData implements CheckOfCalls {

    private static final int KEYS = 10_000;

    /** A prime number, so that a key gets another value each time its turn comes. */
    private static final int VALUES = 10_007;

    private final int callers;
    private final int keysPerCaller;
    private final int lag;
    private final String[] keys;
    private final String[] values;

    private PairData(int callers, int keys, int lag) {
        this.callers = callers;
        this.keysPerCaller = keys / callers;
        this.lag = lag;
        this.keys = texts("key:%09d", keysPerCaller * callers);
        this.values = texts("value:%010d", VALUES);
    }

    private static String[] texts(String format, int count) {
        return IntStream.range(0, count).mapToObj(format::formatted).toArray(String[]::new);
    }

    /** Pairs of {@code callers} that wait for each reply: what a pair sets, it gets. 1 to 10,000 callers. */
    public static PairData of(int callers) {
        return new PairData(callers, KEYS, 0);
    }

    /**
     * Pairs of one caller that has {@code window} commands in flight, an even number. The {@code GET} of a pair reads the key
     * that was set half a window of pairs before. The reply to that {@code SET} has arrived, so the value is known, even if
     * later commands overtake each other.
     */
    public static PairData inFlight(int window) {
        return new PairData(1, 2 * window, window / 2);
    }

    public int callers() {
        return callers;
    }

    /** The part of {@code caller}, 0 and up, in {@code operations} commands of all callers. */
    public Walk walk(int caller, long operations) {
        return new Walk(caller, operations / 2);
    }

    /** One caller's pairs in their order. Used by one thread. */
    public final class Walk {

        private final int caller;
        private final long pairs;
        private long turn = -1;

        private Walk(int caller, long pairs) {
            this.caller = caller;
            this.pairs = pairs;
        }

        /** Goes on to the next pair; false if there is none. */
        public boolean next() {
            turn++;
            return number(turn) < pairs;
        }

        /** The key to set. */
        public String key() {
            return keys[keyOf(turn)];
        }

        /** What to set it to. */
        public String value() {
            return valueOf(turn);
        }

        /** The key to get. */
        public String readKey() {
            return keys[keyOf(turn + keysPerCaller - lag)];
        }

        /**
         * Checks the reply to the {@code SET}.
         *
         * @throws LabException if it is not the one
         */
        public void checkSet(@Nullable String reply) {
            if (!"OK".equals(reply)) {
                throw new LabException("a SET was not answered with OK: key=" + key() + ", reply=" + reply);
            }
        }

        /**
         * Checks the reply to the {@code GET}.
         *
         * @param reply null if there was no such key
         * @throws LabException if it is not the one
         */
        public void checkGet(@Nullable String reply) {
            var expected = turn < lag ? null : valueOf(turn - lag);
            if (!Objects.equals(expected, reply)) {
                throw new LabException("a GET was not answered with what was set: key=" + readKey() + ", expected="
                        + expected + ", reply=" + reply);
            }
        }

        private long number(long turn) {
            return caller + turn * callers;
        }

        private int keyOf(long turn) {
            return caller + callers * (int) (turn % keysPerCaller);
        }

        private String valueOf(long turn) {
            return values[(int) (number(turn) % VALUES)];
        }
    }

    /** Checks the number of calls and the value of every key. */
    @Override
    public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<String>();
        complaints.addAll(fused.complaints(server, "set", "mset", operations / 2));
        complaints.addAll(server.statistics("get").complaints("get", operations / 2));
        var expected = finalValues(operations);
        long set = Arrays.stream(expected).filter(Objects::nonNull).count();
        long found = server.control().dbSize();
        if (found != set) {
            complaints.add("keys: expected=" + set + ", found=" + found);
        }
        complaints.addAll(differences(server, expected));
        return complaints;
    }

    /** By the number of the key; null for a key that nobody set. */
    private @Nullable String[] finalValues(long operations) {
        @Nullable String[] last = new @Nullable String[keys.length];
        for (int caller = 0; caller < callers; caller++) {
            for (var walk = walk(caller, operations); walk.next(); ) {
                last[walk.keyOf(walk.turn)] = walk.value();
            }
        }
        return last;
    }

    private List<String> differences(RedisServer server, @Nullable String[] expected) {
        var differences = new ArrayList<String>();
        var found = server.control().mget(keys); // not by GET, whose calls are counted
        for (int i = 0; i < keys.length; i++) {
            if (!Objects.equals(found.get(i), expected[i])) {
                differences.add(keys[i] + ": expected=" + expected[i] + ", found=" + found.get(i));
            }
        }
        return differences.stream().limit(3).toList();
    }

    /** What the server's statistics say; what it never saw is lost. */
    @Override
    public Outcomes outcomes(RedisServer server, long operations) {
        var sets = server.statistics("set");
        var gets = server.statistics("get");
        long error = sets.failed() + sets.rejected() + gets.failed() + gets.rejected();
        long ok = sets.calls() - sets.failed() + gets.calls() - gets.failed();
        return new Outcomes(ok, error, 0, 0, Math.max(0, operations - ok - error));
    }
}
