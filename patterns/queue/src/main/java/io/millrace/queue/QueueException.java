// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a worker cannot start or has ended early. Also the cause of a failed attempt whose job took too long or
 * called {@code System.exit}, and of a dead job whose workers died.
 */
public final class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    static QueueException nameInUse(String queue, String worker, Duration waited, Duration left) {
        return new QueueException(
                "the worker was not started: another live worker has its name after a wait of " + waited.toMillis()
                        + " ms: queue=" + queue + ", worker=" + worker + ", remainingLease=" + left.toMillis()
                        + " ms. Use another name, or no name for a unique name.",
                null);
    }

    /** The lease of the worker ended, and another worker with its name has started in the meantime. */
    static QueueException nameTaken(String queue, String worker, Duration left) {
        return new QueueException(
                "the worker takes no jobs: another live worker has taken its name: queue=" + queue + ", worker="
                        + worker
                        + ", remainingLease=" + left.toMillis()
                        + " ms. Close one of the two workers, or give them different names.",
                null);
    }

    static QueueException clientClosed(String queue, String worker, Throwable cause) {
        return new QueueException(
                "the client was closed before the worker: queue=" + queue + ", worker=" + worker
                        + ". Close the worker first.",
                cause);
    }

    static QueueException timedOut(String queue, String id, Duration timeout) {
        return new QueueException(
                "the attempt was interrupted after " + timeout.toMillis() + " ms: queue=" + queue + ", job=" + id
                        + ". Set a longer timeout of the worker if the job needs more time.",
                null);
    }

    static QueueException endedProcess(String queue, String id) {
        return new QueueException(
                "the job called System.exit: queue=" + queue + ", job=" + id
                        + ". Throw an exception instead, and close the worker on another thread.",
                null);
    }

    static QueueException workersDied(String queue, String id, int times) {
        return new QueueException(
                "the worker died " + times + " times while this job ran: queue=" + queue + ", job=" + id
                        + ". Find out why the processes ended, for example from their exit codes, then redrive the job.",
                null);
    }
}
