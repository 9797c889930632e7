// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.Closeable;
import java.io.IOException;

/**
 * A connected byte stream. At most one thread reads at a time, and at most one thread writes at a time. Any thread may
 * close the transport. Closing ends reads and writes with an exception.
 */
public interface Transport extends Closeable {

    /**
     * Waits for bytes and reads some of them. Returns the number of bytes, or -1 at the end of the stream. A
     * {@linkplain #isNonBlocking non-blocking} transport may return 0, after {@link #wakeReader} or an interrupt of the
     * reading thread.
     */
    int read(byte[] buffer) throws IOException;

    /**
     * Like {@link #read}, but waits for {@code millis} at most; {@code millis} must be 1 or more.
     *
     * @throws java.net.SocketTimeoutException if no bytes arrived in time
     */
    int readWithin(byte[] buffer, int millis) throws IOException;

    /**
     * Writes some bytes and returns the number of bytes that the operating system accepted. A {@linkplain
     * #isNonBlocking non-blocking} transport may accept no bytes; any other transport accepts at least one byte.
     */
    int write(byte[] bytes, int offset, int length) throws IOException;

    /**
     * Whether this transport is non-blocking. {@link #write} of such a transport does not wait: it writes only the
     * bytes that the operating system accepts now. Threads of the application may read and write such a
     * transport, because their interrupts do not close it.
     */
    boolean isNonBlocking();

    /**
     * Ends the wait of the thread that waits in {@link #read}. If no thread waits in {@code read}, the next {@code
     * read} does not wait. Only for non-blocking transports.
     */
    void wakeReader();

    /** Waits until {@link #write} can write at least one byte, or the transport is closed. May return early. */
    void awaitWritable() throws IOException;

    /** Whether one {@link #read} returns all bytes that have arrived, up to the size of the buffer. */
    boolean readsEverythingAvailable();

    /**
     * Whether the transport guarantees that a {@link #write} that fails has sent none of its bytes. Without this
     * guarantee, the failed {@code write} may have sent some or all of its bytes.
     */
    boolean failedWriteSendsNothing();

    @Override
    void close();
}
