// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;

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
 * <p>{@link #end} blocks while the limit of commands or bytes in flight is reached. This bounds the memory, and slows
 * the caller down to the speed of the server. Commands are sent once 16 KiB or 4,096 commands have been collected, and
 * in any case after a few milliseconds.
 *
 * <p>Used by one thread at a time. {@link #counts}, {@link #fusion}, {@link #traffic}, {@link #isOpen} and
 * {@link #abort} may be called from any thread. If the thread is interrupted while it waits in {@link #end}, the
 * command is refused and the interrupt flag stays set. The connection is not affected.
 */
public interface BulkWriter extends ArgumentSink, AutoCloseable {

    /**
     * Begins a command. The caller then adds the arguments and calls {@link #end}. A command without a call of
     * {@code end} is discarded. Adjacent commands are {@linkplain BulkOptions#fusion fused} only if they use the same
     * spec instance.
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
     * Ends the command and submits it. Blocks while the window is full, at most for the timeout; then the command is
     * {@link Outcome.Refused}. If the connection is closed, the command is {@link Outcome.Lost} at once.
     *
     * @param tag passed to the listener with the outcome
     */
    void end(long tag);

    /** Sends all submitted commands. Does not wait for their replies. */
    void flush();

    /** Sends all submitted commands and blocks until the listener has received the outcome of each command. */
    void finish();

    /** Returns whether the connection works. */
    boolean isOpen();

    /** Returns the commands so far, counted by outcome. */
    CommandCounts counts();

    /** Returns how many commands so far were sent as part of a fused command. */
    FusionCounts fusion();

    /** Returns the traffic of the connection so far. */
    Traffic traffic();

    /**
     * Closes the connection at once. May be called from any thread. The thread that uses the writer then reports all
     * commands without an outcome as {@link Outcome.Lost}, in its current or its next method call.
     */
    void abort();

    /**
     * Closes the connection. Commands without an outcome are {@link Outcome.Lost}; the listener receives these
     * outcomes.
     */
    @Override
    void close();

    /**
     * Traffic of a connection so far.
     *
     * @param bytesSent bytes that the operating system has accepted
     * @param peakInFlight highest number of commands on the wire at one time
     * @param windowNanos time in nanoseconds that {@link #end} waited because the window was full
     * @param socketNanos time in nanoseconds that the connection's writer thread spent in socket calls
     */
    record Traffic(long bytesSent, long peakInFlight, long windowNanos, long socketNanos) {}
}
