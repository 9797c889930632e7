// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.internal.thread.ClientThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waits between two attempts. Tests replace the waits. */
interface Pauses {

    /** Waits on the thread of the caller, and on a timer thread of the JDK that starts a virtual thread. */
    Pauses SYSTEM = new Pauses() {
        @Override
        public void sleep(long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }

        @Override
        public void later(long nanos, Runnable next) {
            CompletableFuture.delayedExecutor(
                            nanos, TimeUnit.NANOSECONDS, work -> ClientThreads.startVirtual("millrace-retry", work))
                    .execute(next);
        }
    };

    /** Blocks for {@code nanos} nanoseconds. */
    void sleep(long nanos) throws InterruptedException;

    /** Runs {@code next} after {@code nanos} nanoseconds, without blocking. */
    void later(long nanos, Runnable next);
}
