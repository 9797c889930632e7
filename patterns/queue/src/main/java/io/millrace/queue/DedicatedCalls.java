// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RefusedException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the blocking commands of a worker on dedicated connections. Logs one line if the worker finds no free connection:
 * the pool of the client is then too small for its workers, and the worker takes jobs late.
 */
final class DedicatedCalls {

    /** The time beyond the block time of a command. Longer than the time in which a new connection is usually opened. */
    private static final long LONG_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** The number of long waits in a row before the line of the log. One long wait may be a slow network. */
    private static final int LONG_WAITS = 2;

    private final RedisClient client;
    private final String origin;
    private final AtomicBoolean logged = new AtomicBoolean();

    /** The number of long waits in a row. Only the dispatching thread accesses this field. */
    private int longWaits;

    DedicatedCalls(RedisClient client, String queue, String worker) {
        this.client = client;
        this.origin = ": queue=" + queue + ", worker=" + worker;
    }

    /**
     * Runs a command. Only the dispatching thread calls this method.
     *
     * @param wait the time for which the server may block the command. If positive, the command needs a dedicated connection
     */
    <R> R call(Command<R> command, Duration wait) {
        if (wait.isZero()) {
            return client.call(command);
        }
        long start = System.nanoTime();
        try {
            R value = client.call(command);
            longWait(System.nanoTime() - start - wait.toNanos());
            return value;
        } catch (RefusedException e) {
            noFreeConnection();
            throw e;
        }
    }

    /** A command that returned before the end of its block time says nothing about the wait for its connection. */
    private void longWait(long nanosBeyondBlock) {
        if (nanosBeyondBlock >= LONG_WAIT_NANOS) {
            longWaits++;
        } else if (nanosBeyondBlock >= 0) {
            longWaits = 0;
        }
        if (longWaits >= LONG_WAITS) {
            noFreeConnection();
        }
    }

    /** Logs that the worker found no free connection. Later calls of this method log nothing. */
    void noFreeConnection() {
        if (!logged.getAndSet(true)) {
            QueueLog.log(
                    Level.WARNING,
                    "a worker waits for a free connection in the pool of its client, and takes jobs late" + origin
                            + ", poolSize=" + client.options().pool().size()
                            + ". Set poolSize to two connections for each worker of the client.");
        }
    }
}
