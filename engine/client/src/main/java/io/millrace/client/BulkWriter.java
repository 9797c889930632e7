// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import java.util.List;

/**
 * Writes a large number of commands over a separate connection. Creates no object per command.
 *
 * <pre>{@code
 * try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, listener)) {
 *     for (long i = 0; i < n; i++) {
 *         writer.begin(Strings.SET).arg(key(i)).arg(value(i)).end(i);
 *     }
 *     writer.finish();
 * }
 * }</pre>
 *
 * <p>The number of commands and bytes in flight is limited. {@link #end} blocks while a limit is reached. So the writer
 * needs a limited amount of memory, and the caller cannot submit commands faster than the server executes them. The
 * writer collects commands before it sends them. It sends the collected commands when they have reached 16 KiB or 4,096
 * commands, or after a few milliseconds.
 *
 * <p>In a cluster, the writer has a connection to each primary, with limits of its own. All keys of a command must have
 * the same hash slot. The commands of a hash slot are executed, and their outcomes are reported, in the order in which
 * they were written; commands of different hash slots have no common order. A command that a node redirects is sent again,
 * at most until its timeout, and only its last answer is an outcome. A command without a key goes to any one node. If the
 * connection to a node is lost, the commands of the other nodes still get their outcomes, and the writer is then closed.
 *
 * <p>A writer must be used by one thread at a time. Only {@link #counts}, {@link #nodes}, {@link #fusion}, {@link #traffic},
 * {@link #isOpen} and {@link #abort} may be called from any thread. If the calling thread is interrupted while it waits
 * in {@link #end}, the command is refused and the thread's interrupt flag stays set. The connection is not affected.
 */
public interface BulkWriter extends ArgumentSink, AutoCloseable {

    /**
     * Begins a command. The caller then adds the arguments and calls {@link #end}. If the caller does not call
     * {@code end}, the command is discarded. Adjacent commands are {@linkplain BulkOptions#fusion fused} only if they
     * use the same spec instance.
     *
     * <p>If the server refused earlier commands with {@code LOADING}, {@code BUSY} or {@code MASTERDOWN}, these commands
     * end with this error, and this method waits until the server accepts commands again. It waits at most for the
     * timeout of {@link BulkOptions}, and calls the listener for earlier commands.
     */
    BulkWriter begin(CommandSpec<?> command);

    @Override
    BulkWriter arg(byte[] bytes, int offset, int length);

    @Override
    default BulkWriter arg(byte[] bytes) {
        return arg(bytes, 0, bytes.length);
    }

    @Override
    BulkWriter arg(String text);

    @Override
    BulkWriter arg(long number);

    /**
     * Ends the command and submits it. Blocks while the limit of commands or bytes in flight is reached, at most for
     * the timeout of {@link BulkOptions}. If the limit is still reached after the timeout, the command is not sent and
     * its outcome is {@link Outcome.Refused}. If the connection is closed, the outcome is {@link Outcome.Lost}
     * immediately.
     *
     * @param tag number that the listener receives together with the outcome of this command
     * @throws IllegalArgumentException if the keys have several hash slots, and the client is connected to a cluster.
     *     Then the command is not submitted
     */
    void end(long tag);

    /** Sends all submitted commands. Does not wait for their replies. */
    void flush();

    /** Sends all submitted commands and blocks until the listener has received the outcome of each command. */
    void finish();

    /** Returns whether the connection works; in a cluster, whether no connection with commands was lost. */
    boolean isOpen();

    /** Returns how many commands have been submitted so far, in total and for each outcome. */
    CommandCounts counts();

    /**
     * Returns the commands so far of each node of a cluster, also of nodes whose connection is closed; empty if the client is
     * not connected to a cluster. A command that was not sent to any node counts only in {@link #counts}.
     */
    default List<NodeCounts> nodes() {
        return List.of();
    }

    /** Returns how many commands so far were sent as part of a fused command. */
    FusionCounts fusion();

    /** Returns the traffic of the connection so far. */
    Traffic traffic();

    /**
     * Closes the connection immediately. May be called from any thread. Each command without an outcome gets the
     * outcome {@link Outcome.Lost}. The listener receives these outcomes on the thread that uses the writer: during
     * this thread's current or next call of a writer's method.
     */
    void abort();

    /**
     * Closes the connection. Each command without an outcome gets the outcome {@link Outcome.Lost}. The listener
     * receives these outcomes. If the listener throws an exception, it still receives the remaining outcomes, and the
     * method then throws the first exception. After an {@link Error}, the remaining outcomes are not reported.
     */
    @Override
    void close();

    /**
     * Traffic of a connection so far.
     *
     * @param bytesSent number of bytes that the operating system has accepted for sending
     * @param peakInFlight highest number of commands that were in flight at the same time, measured after each flush
     * @param windowNanos time in nanoseconds that {@link #end} waited because the limit of commands or bytes in flight
     *     was reached
     * @param socketNanos time in nanoseconds that the connection's writer thread spent in socket calls
     */
    record Traffic(long bytesSent, long peakInFlight, long windowNanos, long socketNanos) {}
}
