// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/** Waiting for what nobody announces. Who waits in vain is told what was there instead. */
final class Eventually {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    /** Looks until there is what is {@code expected}. */
    static <T> void is(String what, T expected, Supplier<? extends T> look) {
        holds(what + ", expected=" + expected, look, expected::equals);
    }

    /** Looks until what is there will do. */
    static <T> void holds(String what, Supplier<T> look, Predicate<? super T> enough) {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            T seen = look.get();
            if (enough.test(seen)) {
                return;
            }
            if (System.nanoTime() - giveUp > 0) {
                Assertions.fail("waited in vain for this: " + what + ", seen=" + seen);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
