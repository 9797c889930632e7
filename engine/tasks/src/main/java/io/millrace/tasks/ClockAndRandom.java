// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The clock and the random generator of a flow. Tests can replace them.
 *
 * @param clock returns a time in nanoseconds that never decreases; any thread may call it
 * @param random generator for the random part of the wait before a retry; any thread may use it
 */
record ClockAndRandom(LongSupplier clock, RandomGenerator random) {

    /** The system's clock and random generator. */
    static final ClockAndRandom SYSTEM = new ClockAndRandom(
            System::nanoTime, () -> ThreadLocalRandom.current().nextLong());
}
