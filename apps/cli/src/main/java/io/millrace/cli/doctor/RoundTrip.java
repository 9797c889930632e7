// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import java.util.Arrays;

/**
 * The time from a command to its reply, measured by some {@code PING}.
 *
 * @param medianNanos median of the samples, in nanoseconds
 * @param maxNanos the longest sample, in nanoseconds
 */
public record RoundTrip(long medianNanos, long maxNanos) {

    /** Measurements before the samples, which take longer because nothing is compiled yet. */
    private static final int WARM_UP = 50;

    private static final int SAMPLES = 101;

    /** Sends one {@code PING} after another. Blocks until all replies have arrived. */
    static RoundTrip measure(RedisClient client) {
        for (int i = 0; i < WARM_UP; i++) {
            client.call(Server.ping());
        }
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            long begin = System.nanoTime();
            client.call(Server.ping());
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return new RoundTrip(nanos[SAMPLES / 2], nanos[SAMPLES - 1]);
    }
}
