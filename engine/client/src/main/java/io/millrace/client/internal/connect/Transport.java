// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.Closeable;
import java.io.IOException;

/**
 * A connected byte stream. One thread at a time reads, one at a time writes, any thread closes. Closing ends reads and
 * writes with an exception.
 */
public interface Transport extends Closeable {

    /**
     * Waits for bytes and reads some of them. Returns the number of bytes, or -1 at the end of the stream. A
     * {@linkplain #isNonBlocking non-blocking} transport may return 0, after {@link #wakeReader} or an interrupt of the
     * reading thread.
     */
    int read(byte[] buffer) throws IOException;

    /**
     * Like {@link #read}, but waits for {@code millis} at most, which must be 1 or more.
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
     * Whether {@link #write} writes only the bytes that the operating system accepts at once, and an interrupt does not
     * close the transport. Callers may read from and write to such a transport.
     */
    boolean isNonBlocking();

    /**
     * Makes the waiting {@link #read} return. If no thread waits in {@code read}, the next {@code read} returns at
     * once. Only for non-blocking transports.
     */
    void wakeReader();

    /** Waits until {@link #write} can write at least one byte, or the transport is closed. May return early. */
    void awaitWritable() throws IOException;

    /** Whether one {@link #read} returns all bytes that have arrived, up to the size of the buffer. */
    boolean readsEverythingAvailable();

    /**
     * Whether a failed {@link #write} has sent none of its bytes. If not, it may have sent some or all of its bytes.
     */
    boolean failedWriteSendsNothing();

    @Override
    void close();
}
