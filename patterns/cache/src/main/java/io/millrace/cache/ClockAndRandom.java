// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The clocks and the random generator of a cache, which tests replace. Thread-safe.
 *
 * @param epochMillis wall clock for the times in entries
 * @param nanos monotonic clock for deadlines
 * @param random random generator for jitter
 */
record ClockAndRandom(LongSupplier epochMillis, LongSupplier nanos, RandomGenerator random) {

    /** The system clocks and a thread-local random generator. */
    static final ClockAndRandom SYSTEM = new ClockAndRandom(
            System::currentTimeMillis,
            System::nanoTime,
            () -> ThreadLocalRandom.current().nextLong());
}
