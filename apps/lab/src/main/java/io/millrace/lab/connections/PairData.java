// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code SET}s and {@code GET}s of several callers, in which each {@code GET} has one right answer.
 *
 * <p>Each caller has separate keys. A caller sets its keys one after the other, again and again, each time to another
 * value. A {@code GET} reads a key that the same caller has set before. So a reply that belongs to another command is
 * wrong. Before a round, every key has a value.
 */
final class PairData {

    private static final int KEYS = 10_000;

    /** Limit for all values together, and for all keys together, so that large values need little memory. */
    private static final int MAX_BYTES = 20_000_000;

    /** Prime numbers of values: then a key gets another value each time. */
    private static final int[] PRIMES = {10_007, 1_009, 101, 11};

    private static final int DIGITS = 6;

    private final int callers;
    private final int keysPerCaller;
    private final int lag;
    private final Mix mix;
    private final String[] keys;
    private final String[] values;
    private final CommandCounts counts = new CommandCounts();

    /**
     * @param keys of all callers together
     * @param payloadBytes length of a value, 6 or more
     * @param lag number of pairs between the {@code SET} and the {@code GET} of a key
     */
    private PairData(int callers, int keys, int payloadBytes, Mix mix, int lag) {
        this.callers = callers;
        this.lag = lag;
        this.mix = mix;
        this.values = new String[primeFor(payloadBytes)];
        int perCaller = Math.max(lag + 1, keys / callers);
        this.keysPerCaller = (long) perCaller * callers % values.length == 0 ? perCaller + 1 : perCaller;
        this.keys = IntStream.range(0, keysPerCaller * callers)
                .mapToObj(n -> Keyspace.PREFIX + digits(n))
                .toArray(String[]::new);
        String filler = "x".repeat(Math.max(0, payloadBytes - DIGITS));
        for (int i = 0; i < values.length; i++) {
            values[i] = digits(i) + filler;
        }
    }

    private static String digits(int n) {
        String text = Integer.toString(n);
        return "0".repeat(Math.max(0, DIGITS - text.length())) + text;
    }

    private static int primeFor(int payloadBytes) {
        for (int prime : PRIMES) {
            if ((long) prime * payloadBytes <= MAX_BYTES) {
                return prime;
            }
        }
        return PRIMES[PRIMES.length - 1];
    }

    /** Commands of {@code callers} that wait for each reply. */
    static PairData of(Parameters parameters, int callers) {
        return of(parameters, callers, 16, Mix.HALF);
    }

    /** The same with another usual length of a value and another usual mix. */
    static PairData of(Parameters parameters, int callers, int usualPayloadBytes, Mix usualMix) {
        int payloadBytes = parameters.payloadBytes(usualPayloadBytes);
        int usualKeys = Math.max(1, Math.min(KEYS, MAX_BYTES / Math.max(1, payloadBytes)));
        return new PairData(callers, parameters.keys(usualKeys), payloadBytes, parameters.mix(usualMix), 0);
    }

    /**
     * Pairs of one caller that has {@code window} commands in flight. The {@code GET} of a pair reads the key that was
     * set half a window of pairs before. The reply to that {@code SET} has arrived, so the value is known.
     */
    static PairData inFlight(Parameters parameters, int window) {
        return new PairData(1, 2 * window, parameters.payloadBytes(16), Mix.HALF, window / 2);
    }

    int callers() {
        return callers;
    }

    /** Key {@code n} of all callers, modulo the number of keys. */
    String key(long n) {
        return keys[(int) (n % keys.length)];
    }

    /** The commands of {@code caller} from the beginning of a round. */
    Walk walk(int caller) {
        return new Walk(caller);
    }

    /** The commands of one caller in their order. Used by one thread. */
    final class Walk {

        private final int caller;
        private long index;
        private long writes = keysPerCaller;
        private long reads;
        private boolean isRead;
        private long turn;

        private Walk(int caller) {
            this.caller = caller;
        }

        /** The same position, for a second walk through the replies. */
        Walk copy() {
            Walk copy = new Walk(caller);
            copy.index = index;
            copy.writes = writes;
            copy.reads = reads;
            return copy;
        }

        /** Moves to the next command. */
        Walk next() {
            isRead = mix.isRead(index++);
            turn = isRead ? writes - 1 - lag - (mix.reads() > mix.writes() ? reads++ % keysPerCaller : 0) : writes++;
            return this;
        }

        Operation command() {
            return isRead ? new Operation.Get(key()) : new Operation.Set(key(), value());
        }

        /**
         * Checks the reply to the current command.
         *
         * @throws LabException if the command is a {@code GET}, and the reply is not the value that the caller has set
         */
        void check(@Nullable Object reply) {
            if (isRead && !value().equals(reply)) {
                throw new LabException("a GET was not answered with the value that was set: key=" + key()
                        + ", expected=" + beginning(value()) + ", reply=" + beginning(String.valueOf(reply)));
            }
        }

        private String key() {
            return keys[caller + callers * (int) (turn % keysPerCaller)];
        }

        private String value() {
            return values[(int) ((caller + turn * callers) % values.length)];
        }
    }

    private static String beginning(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }

    /** Fills every key before a round, and checks the counts and all values after the round. */
    ServerUse serverUse() {
        return ServerUse.checkedBy((server, sample) -> complaints(server, sample.operations(), FusedFigures.of(sample)))
                .filledBy(this::fill);
    }

    /** Writes the first value of each key, and begins to count the commands of the server. */
    void fill(RedisServer server) {
        Map<String, String> first = valuesAfter(0);
        server.forEach(first.keySet(), (pipeline, key) -> pipeline.set(key, first.getOrDefault(key, "")));
        counts.begin(server);
    }

    /** Returns the complaints after {@code operations} commands of all callers: the counts first, then the values. */
    List<String> complaints(RedisServer server, long operations, FusedCommands fused) {
        if (operations % callers != 0) {
            throw new IllegalArgumentException("each caller must do the same number of commands: operations="
                    + operations + ", callers=" + callers);
        }
        long writes = writes(operations / callers) * callers;
        List<String> complaints =
                new ArrayList<>(counts.complaints(server, Map.of("set", writes, "get", operations - writes), fused));
        if (callers == 1 && mix.equals(Mix.HALF) && fused.commands() > 0) {
            complaints.add("one caller alternates SET and GET, but commands were fused: commands=" + fused.commands());
        }
        complaints.addAll(KeyValues.complaints(server, valuesAfter(writes(operations / callers))));
        return complaints;
    }

    /** Number of {@code SET}s in the first {@code commands} of a caller. */
    private long writes(long commands) {
        long group = (long) mix.reads() + mix.writes();
        long rest = IntStream.range(0, (int) (commands % group))
                .filter(index -> !mix.isRead(index))
                .count();
        return commands / group * mix.writes() + rest;
    }

    private Map<String, String> valuesAfter(long writesPerCaller) {
        Map<String, String> values = new HashMap<>();
        for (int caller = 0; caller < callers; caller++) {
            Walk walk = walk(caller);
            for (walk.turn = writesPerCaller; walk.turn < writesPerCaller + keysPerCaller; walk.turn++) {
                values.put(walk.key(), walk.value());
            }
        }
        return values;
    }
}
