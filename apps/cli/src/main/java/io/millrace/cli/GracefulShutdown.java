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

    /** Maximum time for the work to end, after {@link Stoppable#abandon} has run. */
    private static final Duration LAST_LIMIT = Duration.ofSeconds(5);

    /** The same for work that awaits no reply. So Ctrl-C ends such work within three seconds. */
    private static final Duration SHORT_LAST_LIMIT = Duration.ofSeconds(2);

    /** Time after which the user is told that the work still waits. */
    private static final Duration NOTICE_AFTER = Duration.ofSeconds(1);

    private GracefulShutdown() {}

    /** Work that a signal stops. Called by the shutdown hook, so no method may block. */
    interface Stoppable {

        /** Asks the work to end. */
        void stop();

        /** Whether the work may wait for replies to commands that it has sent. If not, the hook waits only briefly. */
        default boolean awaitsReplies() {
            return true;
        }

        /** Tells the user that the work waits for replies. Called if the work has not ended within a second. */
        default void waiting() {}

        /** Tells the work to stop waiting for replies. */
        void abandon();

        /** Called if the work has not ended after {@link #abandon} either. The JVM then ends. */
        default void timedOut() {}
    }

    /**
     * Runs {@code work} on the calling thread and returns its result.
     *
     * @param limit time between {@link Stoppable#stop} and {@link Stoppable#abandon}, more than a second
     */
    static <T> T run(Supplier<T> work, Duration limit, Stoppable stoppable) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> stop(stoppable, limit, ended), "millrace-interruption");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return work.get();
        } finally {
            ended.countDown();
            remove(hook);
        }
    }

    private static void stop(Stoppable work, Duration limit, CountDownLatch ended) {
        work.stop();
        Signals.endAtNextSignal();
        if (endedWithin(NOTICE_AFTER, ended)) {
            return;
        }
        boolean awaitsReplies = work.awaitsReplies();
        if (awaitsReplies) {
            work.waiting();
            if (endedWithin(limit.minus(NOTICE_AFTER), ended)) {
                return;
            }
        }
        work.abandon();
        if (!endedWithin(awaitsReplies ? LAST_LIMIT : SHORT_LAST_LIMIT, ended)) {
            work.timedOut();
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
