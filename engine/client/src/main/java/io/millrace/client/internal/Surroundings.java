// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a client takes from outside, so that a test can give it something else.
 *
 * @param clock nanoseconds that never go back; read by any thread
 * @param random for the waits between attempts to connect; used by any thread
 */
public record Surroundings(LongSupplier clock, RandomGenerator random) {

    /** The system's clock and chance. */
    public static final Surroundings SYSTEM = new Surroundings(System::nanoTime, new SystemRandom());

    /** A random generator that any thread may use, without contention. */
    private static final class SystemRandom implements RandomGenerator {

        @Override
        public long nextLong() {
            return ThreadLocalRandom.current().nextLong();
        }
    }
}
