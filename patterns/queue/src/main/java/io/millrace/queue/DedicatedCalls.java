// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RefusedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the blocking commands of a worker on dedicated connections. Logs one line if the worker finds no free connection:
 * the pool of the client is then too small for its workers, and the worker takes jobs late.
 */
final class DedicatedCalls {

    /** A wait for a connection that is longer than the time in which a new connection is usually opened. */
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

    /** Runs a command, on a dedicated connection if the server may block the command. Only the dispatching thread. */
    <R> R call(Command<R> command) {
        if (!command.blocking()) {
            return client.call(command);
        }
        long start = System.nanoTime();
        try (DedicatedConnection connection = client.borrow()) {
            longWaits = System.nanoTime() - start < LONG_WAIT_NANOS ? 0 : longWaits + 1;
            if (longWaits >= LONG_WAITS) {
                noFreeConnection();
            }
            return connection.call(command);
        } catch (RefusedException e) {
            noFreeConnection();
            throw e;
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
