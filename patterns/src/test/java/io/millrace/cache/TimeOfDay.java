// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** A time of day that a test sets. The clock for deadlines goes on: what waits there is real. */
final class TimeOfDay {

    private final AtomicLong millis = new AtomicLong(1_900_000_000_000L);

    void advance(Duration by) {
        millis.addAndGet(by.toMillis());
    }

    long now() {
        return millis.get();
    }

    Surroundings with(Random random) {
        return new Surroundings(millis::get, System::nanoTime, random);
    }
}
