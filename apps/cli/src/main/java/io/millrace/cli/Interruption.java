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
 * must not keep a person waiting for ever, so there is a limit, after which the work is told to wait for nothing more and
 * to report what it knows; a second Ctrl-C cannot end the JVM sooner, since the JVM runs its hooks once.
 */
final class Interruption {

    /** How long work that waits for nothing more may take to print its report. */
    private static final Duration LAST_LIMIT = Duration.ofSeconds(5);

    private Interruption() {}

    /**
     * Runs {@code work} on the calling thread and returns what it returns.
     *
     * @param stop asks the work to end; must return at once
     * @param abandon tells the work to wait for nothing more, when it has not ended within {@code limit}; must return at once
     * @param gaveUp runs when even that has not ended it; the JVM then ends without its report
     */
    static <T> T guard(Supplier<T> work, Runnable stop, Duration limit, Runnable abandon, Runnable gaveUp) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(
                () -> {
                    stop.run();
                    if (endedWithin(limit, ended)) {
                        return;
                    }
                    abandon.run();
                    if (!endedWithin(LAST_LIMIT, ended)) {
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
