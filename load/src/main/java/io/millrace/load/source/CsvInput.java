// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The byte stream of a CSV source. Counts the bytes and can be cancelled by another thread.
 *
 * <p>One thread reads and closes. {@link #cancel}, {@link #isCancelled} and {@link #share} may be called on any thread.
 */
final class CsvInput extends InputStream {

    private final InputStream in;
    private final OptionalLong size;
    private final boolean owned;
    private final AtomicLong count = new AtomicLong();
    private volatile boolean cancelled;
    private volatile boolean closed;

    private CsvInput(InputStream in, OptionalLong size, boolean owned) {
        this.in = in;
        this.size = size;
        this.owned = owned;
    }

    /** The input of a file. {@link #close} also closes the stream {@code in}. */
    static CsvInput ofFile(InputStream in, OptionalLong size) {
        return new CsvInput(in, size, true);
    }

    /**
     * The input from a stream that belongs to the caller. Only {@link #cancel} closes this stream; {@link #close} does
     * not.
     */
    static CsvInput borrowed(InputStream in) {
        return new CsvInput(in, OptionalLong.empty(), false);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = in.read(into, offset, length);
        if (read > 0) {
            count.lazySet(count.getPlain() + read);
        }
        return read;
    }

    /** The share of the file that has been read, 0.0 to 1.0; empty if the size is unknown. */
    OptionalDouble share() {
        return size.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(size.getAsLong() == 0 ? 1 : Math.min(1, count.get() / (double) size.getAsLong()));
    }

    /** Closes the stream, even if the stream belongs to the caller, because only a close ends a blocked read. */
    void cancel() {
        cancelled = true;
        if (closed) {
            return;
        }
        try {
            in.close();
        } catch (IOException e) {
            // The error is ignored, because the stream is no longer needed.
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        if (owned) {
            in.close();
        }
    }
}
