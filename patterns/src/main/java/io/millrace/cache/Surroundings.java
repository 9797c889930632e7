// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a cache takes from outside, so that a test can give it something else. Any thread uses it.
 *
 * @param epochMillis the time of day, which entries carry
 * @param nanos a clock that never goes back, for deadlines
 * @param random for jitter
 */
record Surroundings(LongSupplier epochMillis, LongSupplier nanos, RandomGenerator random) {

    /** The system's clocks and chance. */
    static final Surroundings SYSTEM = new Surroundings(
            System::currentTimeMillis,
            System::nanoTime,
            () -> ThreadLocalRandom.current().nextLong());
}
