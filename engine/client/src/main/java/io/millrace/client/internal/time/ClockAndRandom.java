// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.time;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The clock and the random generator of a client. Tests can replace them.
 *
 * @param clock nanoseconds that never decrease; read by any thread
 * @param random for the delays between connection attempts; used by any thread
 */
public record ClockAndRandom(LongSupplier clock, RandomGenerator random) {

    /** The system's clock and random generator. */
    public static final ClockAndRandom SYSTEM = new ClockAndRandom(System::nanoTime, new SystemRandom());

    /** A random generator that any thread may use, without contention. */
    private static final class SystemRandom implements RandomGenerator {

        @Override
        public long nextLong() {
            return ThreadLocalRandom.current().nextLong();
        }
    }
}
