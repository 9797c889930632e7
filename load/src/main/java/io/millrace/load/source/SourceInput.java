// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of a source: a file or a stream. Counts the bytes, and can be cancelled by another thread.
 *
 * <p>One thread reads and closes. {@link #cancel}, {@link #isCancelled} and {@link #share} may be called on any thread.
 */
final class SourceInput extends InputStream {

    private final InputStream in;
    private final OptionalLong size;
    private final boolean owned;
    private final AtomicLong count = new AtomicLong();
    private volatile boolean cancelled;
    private volatile boolean closed;

    private SourceInput(InputStream in, OptionalLong size, boolean owned) {
        this.in = in;
        this.size = size;
        this.owned = owned;
    }

    /** Opens the file {@code path}, which may be a pipe or another special file. */
    static SourceInput open(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new IOException("it is a directory");
        }
        OptionalLong size = Files.isRegularFile(path) ? OptionalLong.of(Files.size(path)) : OptionalLong.empty();
        return new SourceInput(Files.newInputStream(path), size, true);
    }

    /**
     * The input from a stream that belongs to the caller. Only {@link #cancel} closes this stream; {@link #close} does
     * not.
     */
    static SourceInput borrowed(InputStream in) {
        return new SourceInput(in, OptionalLong.empty(), false);
    }

    /** The reason of {@code e} as text. The message of a file system exception is often only the path. */
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file";
            case AccessDeniedException denied -> "permission denied";
            // Streams that decompress throw this exception.
            case EOFException truncated -> "the compressed input is truncated: " + truncated.getMessage();
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
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
