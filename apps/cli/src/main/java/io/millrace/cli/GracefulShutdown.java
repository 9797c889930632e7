// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Stops the work in an orderly way on SIGINT (Ctrl-C) and SIGTERM.
 *
 * <p>On these signals the JVM runs its shutdown hooks and ends with 130 or 143. The hook of this class asks the work to
 * stop and keeps the JVM alive until the working thread has printed its report. A server that sends no reply must not
 * delay the exit without limit: after {@code limit}, the hook makes the work stop waiting for replies and report its
 * counts. A second Ctrl-C cannot end the JVM earlier, because the JVM runs its hooks once.
 *
 * <p>If the process was started with SIGINT ignored, as by a shell script that runs it in the background, the JVM
 * installs no handler for SIGINT and keeps ignoring it. SIGTERM still works.
 */
final class GracefulShutdown {

    /** Maximum time to print the report after {@code abandon}. */
    private static final Duration LAST_LIMIT = Duration.ofSeconds(5);

    private GracefulShutdown() {}

    /**
     * Runs {@code work} on the calling thread and returns its result.
     *
     * @param stop asks the work to end; must not block
     * @param limit time that the work has to end after {@code stop}
     * @param abandon tells the work to stop waiting for replies, after {@code limit}; must not block
     * @param onTimeout runs if the work has not ended after {@code abandon} either; the JVM then ends without a report
     */
    static <T> T run(Supplier<T> work, Runnable stop, Duration limit, Runnable abandon, Runnable onTimeout) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(
                () -> {
                    stop.run();
                    if (endedWithin(limit, ended)) {
                        return;
                    }
                    abandon.run();
                    if (!endedWithin(LAST_LIMIT, ended)) {
                        onTimeout.run();
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
            // The hook cannot be removed, because the JVM is shutting down. The hook has waited for this thread.
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
