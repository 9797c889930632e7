// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A wall clock that the test advances. The monotonic clock for deadlines is the system clock, because the threads of a
 * test wait in real time.
 */
final class ManualWallClock {

    private final AtomicLong millis = new AtomicLong(1_900_000_000_000L);

    void advance(Duration by) {
        millis.addAndGet(by.toMillis());
    }

    long now() {
        return millis.get();
    }

    ClockAndRandom withRandom(Random random) {
        return new ClockAndRandom(millis::get, System::nanoTime, random);
    }
}
