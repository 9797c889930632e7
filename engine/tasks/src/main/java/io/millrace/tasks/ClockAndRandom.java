// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The clock and the random generator of a flow. Tests can replace them.
 *
 * @param clock nanoseconds that never decrease; read by any thread
 * @param random for the backoff of retries; used by any thread
 */
record ClockAndRandom(LongSupplier clock, RandomGenerator random) {

    /** The system's clock and random generator. */
    static final ClockAndRandom SYSTEM = new ClockAndRandom(
            System::nanoTime, () -> ThreadLocalRandom.current().nextLong());
}
