// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.Closeable;
import java.io.IOException;

/** A connected byte stream. One thread at a time reads, one at a time writes, any closes; closing ends the others with an exception. */
interface Transport extends Closeable {

    /**
     * Waits for bytes and reads some; -1 at the end of the stream. Where the transport {@linkplain #isNonBlocking does not
     * block} it may read none: after {@link #wakeReader}, or an interrupt of the reading thread.
     */
    int read(byte[] buffer) throws IOException;

    /**
     * As {@link #read}, but for {@code millis} at most, 1 or more.
     *
     * @throws java.net.SocketTimeoutException if none came in time
     */
    int readWithin(byte[] buffer, int millis) throws IOException;

    /**
     * Writes some bytes and returns how many the operating system took. Where it {@linkplain #isNonBlocking does not
     * block} that may be none; otherwise it is at least one.
     */
    int write(byte[] bytes, int offset, int length) throws IOException;

    /**
     * Whether {@link #write} takes what fits and returns, and an interrupt closes nothing, so that callers may write and read.
     */
    boolean isNonBlocking();

    /** Has a {@link #read} that waits, or the next one, return. Where the transport does not block. */
    void wakeReader();

    /** Waits until {@link #write} would take something, or the transport is closed. May return early. */
    void awaitWritable() throws IOException;

    /** Whether one {@link #read} gives all that has arrived, as far as it fits. */
    boolean readsAllThereIs();

    /** Whether, when {@link #write} fails, none of its bytes went out. If not, any of them may have. */
    boolean failsWithoutSending();

    @Override
    void close();
}
