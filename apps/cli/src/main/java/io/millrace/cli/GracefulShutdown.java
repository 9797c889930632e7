// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Stops the work in an orderly way on SIGINT (Ctrl-C) and SIGTERM.
 *
 * <p>On these signals the JVM runs its shutdown hooks and then ends with exit code 130 or 143. The shutdown hook of
 * this class asks the work to stop. It keeps the JVM alive until the working thread has printed its report. If the work
 * has not ended after a time limit, for example because the server sends no reply, the hook tells the work to stop
 * waiting for replies. The work can then report its counts. A second signal ends the JVM at once.
 *
 * <p>A shell script that runs this process in the background may start it with SIGINT ignored. The JVM then installs no
 * handler for SIGINT, and SIGINT stays ignored. SIGTERM still works.
 */
final class GracefulShutdown {

    /** Maximum time for the work to end, after {@code abandon} has run. */
    private static final Duration LAST_LIMIT = Duration.ofSeconds(5);

    /** Time after which the user is told that the work still waits. */
    private static final Duration NOTICE_AFTER = Duration.ofSeconds(1);

    private GracefulShutdown() {}

    /**
     * Runs {@code work} on the calling thread and returns its result.
     *
     * @param stop asks the work to end; must not block
     * @param limit time between {@code stop} and {@code abandon}, more than a second
     * @param notice runs if the work has not ended within a second. Tells the user about the wait; must not block
     * @param abandon runs if the work has not ended within {@code limit}. Tells the work to stop waiting for replies;
     *     must not block
     * @param onTimeout runs if the work has not ended after {@code abandon} either. The JVM then ends without a report
     */
    static <T> T run(
            Supplier<T> work,
            Runnable stop,
            Duration limit,
            Runnable notice,
            Runnable abandon,
            Runnable onTimeout) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(
                () -> {
                    stop.run();
                    Signals.endAtNextSignal();
                    if (endedWithin(NOTICE_AFTER, ended)) {
                        return;
                    }
                    notice.run();
                    if (endedWithin(limit.minus(NOTICE_AFTER), ended)) {
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
            // The JVM is shutting down and has started the hook, so the hook cannot be removed. The hook ends soon,
            // because the work has ended.
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
