// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Writes very many commands over a connection of its own, without an object per command.
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
 * <p>{@link #end} waits while the limit of commands or bytes in flight is reached, so memory is bounded and the source is
 * slowed down to what the server takes. Bytes are sent when 16 KiB have come together, and after some milliseconds in any
 * case.
 *
 * <p>One thread at a time; {@link #counts}, {@link #fusion}, {@link #traffic}, {@link #isOpen} and {@link #abort} from any. An interrupt while waiting refuses the command that waits, and stays
 * set; it never harms the connection.
 */
public interface BulkWriter extends ArgumentSink, AutoCloseable {

    /**
     * Begins a command; its arguments follow. A command that was begun and not ended is forgotten. Adjacent commands are
     * {@linkplain BulkOptions#fusion fused} only if they were begun with the same object.
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
     * Ends the command and submits it. Waits for room until the timeout at most; what could not be sent by then is {@link
     * Outcome.Refused}. On a connection that has ended the command is {@link Outcome.Lost}, at once.
     *
     * @param tag comes back with the outcome
     */
    void end(long tag);

    /** Sees to it that everything submitted is sent, without waiting for it. */
    void flush();

    /** Sends everything and waits until every command has its outcome and the listener was told. */
    void finish();

    /** Whether the connection still works. */
    boolean isOpen();

    /** What became of the commands so far. */
    CommandCounts counts();

    /** How many of the commands so far went out as part of another. */
    FusionCounts fusion();

    /** What the connection did so far. */
    Traffic traffic();

    /**
     * Ends the connection at once, from any thread, for when waiting has become pointless. The thread that uses the writer
     * then learns, in the method it is in or the next, that what has no outcome is {@link Outcome.Lost}.
     */
    void abort();

    /** Ends the connection; commands without an outcome are {@link Outcome.Lost}, and the listener is told. */
    @Override
    void close();

    /**
     * What a connection did so far.
     *
     * @param bytesSent taken by the operating system
     * @param peakInFlight most commands on the wire at once
     * @param windowNanos time that {@link #end} waited for room
     * @param socketNanos time that the connection's writer spent in the socket
     */
    record Traffic(long bytesSent, long peakInFlight, long windowNanos, long socketNanos) {}
}
