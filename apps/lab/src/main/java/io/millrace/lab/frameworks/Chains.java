// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.bulk.FusedCalls;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Chains of {@code GET} on one event loop: each chain sends its next command when the reply has arrived.
 *
 * @param chains number of chains that run at the same time
 * @param commandsPerChain commands of each chain in one unit
 */
public record Chains(int chains, long commandsPerChain) {

    /** Figures in microseconds. */
    public static final String P50 = "p50Micros";

    public static final String P99 = "p99Micros";

    private static final int KEYS = 10_000;

    /** Far apart, so that no two chains read the same keys soon after each other. */
    private static final int BETWEEN_CHAINS = 19;

    /** The number of the key that {@code chain} reads with its command {@code n}. */
    public static int keyNumber(int chain, long n) {
        return (int) (((long) chain * BETWEEN_CHAINS + n) % KEYS);
    }

    public static String key(int number) {
        return Keyspace.PREFIX + "chain:" + number;
    }

    public static String value(int number) {
        return "value of sixteen or more bytes " + number;
    }

    /** A slow client runs a part of the commands. */
    Chains dividedBy(int divisor) {
        return new Chains(chains, Math.ceilDiv(commandsPerChain, divisor));
    }

    /** Every key has its value before a round. The contender compares each reply with this value. */
    static ServerUse server() {
        return ServerUse.checkedBy(
                        (server, sample) -> FusedCalls.complaints(server, sample, "get", "mget", sample.operations()))
                .filledBy(Chains::fill);
    }

    private static void fill(RedisServer server) {
        server.control()
                .mset(IntStream.range(0, KEYS)
                        .boxed()
                        .flatMap(number -> Stream.of(key(number), value(number)))
                        .toArray(String[]::new));
    }
}
