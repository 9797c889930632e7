// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Turns Ctrl-C and SIGTERM into an orderly end of the work that goes on meanwhile.
 *
 * <p>The JVM answers these signals by running its shutdown hooks and ending with 130 or 143. The hook here asks the work to
 * stop and keeps the JVM alive until it has: the working thread then has printed its report. A server that does not answer
 * must not keep a person waiting for ever, so there is a limit; a second Ctrl-C cannot end the JVM sooner, since the JVM
 * runs its hooks once.
 */
final class Interruption {

    private Interruption() {}

    /**
     * Runs {@code work} on the calling thread and returns what it returns.
     *
     * @param stop asks the work to end; must return at once
     * @param gaveUp runs when the work has not ended within {@code limit}; the JVM then ends without it
     */
    static <T> T guard(Supplier<T> work, Runnable stop, Duration limit, Runnable gaveUp) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(
                () -> {
                    stop.run();
                    if (!endedWithin(limit, ended)) {
                        gaveUp.run();
                    }
                },
                "millrace-interruption");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return work.get();
        } finally {
            ended.countDown();
            remove(hook);
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook is what has been waiting for us.
        }
    }

    private static boolean endedWithin(Duration limit, CountDownLatch ended) {
        try {
            return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            return false;
        }
    }
}
