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
     * Waits for bytes and reads some; returns -1 at the end of the stream. A {@linkplain #isNonBlocking non-blocking}
     * transport may read none, after {@link #wakeReader} or an interrupt of the reading thread.
     */
    int read(byte[] buffer) throws IOException;

    /**
     * Like {@link #read}, but waits for {@code millis} at most, which must be 1 or more.
     *
     * @throws java.net.SocketTimeoutException if no bytes arrived in time
     */
    int readWithin(byte[] buffer, int millis) throws IOException;

    /**
     * Writes some bytes and returns how many the operating system took. A {@linkplain #isNonBlocking non-blocking}
     * transport may take none; any other takes at least one.
     */
    int write(byte[] bytes, int offset, int length) throws IOException;

    /**
     * Whether {@link #write} takes only as much as fits and returns, and an interrupt does not close the transport. If
     * so, callers may write and read.
     */
    boolean isNonBlocking();

    /** Makes a waiting {@link #read}, or the next one, return. Non-blocking transports only. */
    void wakeReader();

    /** Waits until {@link #write} would take something, or the transport is closed. May return early. */
    void awaitWritable() throws IOException;

    /** Whether one {@link #read} returns all bytes that have arrived, up to the size of the buffer. */
    boolean readsEverythingAvailable();

    /** Whether a failed {@link #write} has sent none of its bytes. If not, it may have sent any of them. */
    boolean failedWriteSendsNothing();

    @Override
    void close();
}
