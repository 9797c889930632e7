// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a source: a file or a stream, decompressed if it begins as gzip or Zstandard data. Counts the bytes
 * before decompression, and can be cancelled by another thread.
 *
 * <pre>
 *   file or stream -> RawInput (counts, holds the first bytes) -> GzipInput or ZstdInput or none -> reader of the format
 * </pre>
 *
 * <p>The first bytes decide about the compression, not the name. No text in an encoding of a CSV or JSON file begins
 * with these bytes in practice: {@code 1F} is a control character, and {@code 28 B5 2F FD} is not UTF-8.
 *
 * <p>One thread reads and closes. {@link #cancel}, {@link #isCancelled} and {@link #share} may be called on any thread.
 */
final class SourceInput extends InputStream {

    /**
     * Maximum ratio of the decompressed size to the compressed size. Real tables have ratios of 3 to 50. A small file
     * that was made to occupy a load for days has a ratio of 1,000 (gzip) or far more (Zstandard).
     */
    static final int MAX_RATIO = 1_000;

    /** The ratio is checked above this decompressed size, because a small file does no harm at any ratio. */
    static final long UNCHECKED_BYTES = 64L << 20;

    private static final List<String> ENDINGS = List.of(".gz", ".zst");
    private static final byte[] GZIP = {0x1F, (byte) 0x8B};
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    /** Opens an input. */
    interface Opener {
        SourceInput open() throws IOException;
    }

    private final RawInput raw;
    /** The decompressed bytes; null before the first read, because the opening must not wait for the first bytes. */
    private @Nullable InputStream content;

    private final OptionalLong size;
    private long delivered;
    private volatile boolean closed;

    private SourceInput(RawInput raw, OptionalLong size) {
        this.raw = raw;
        this.size = size;
    }

    /** Opens the file {@code path}, which may be a pipe or another special file. */
    static SourceInput open(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new IOException("it is a directory");
        }
        OptionalLong size = Files.isRegularFile(path) ? OptionalLong.of(Files.size(path)) : OptionalLong.empty();
        return new SourceInput(new RawInput(Files.newInputStream(path), true), size);
    }

    /**
     * The input from a stream that belongs to the caller. Only {@link #cancel} closes this stream; {@link #close} does
     * not.
     */
    static SourceInput borrowed(InputStream in) {
        return new SourceInput(new RawInput(in, false), OptionalLong.empty());
    }

    /**
     * The name of a file in lower case, without the ending of a compressed file. Without a regular expression, because
     * the classes of expressions take long to load.
     */
    static String plainName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (String ending : ENDINGS) {
            if (lower.endsWith(ending)) {
                return lower.substring(0, lower.length() - ending.length());
            }
        }
        return lower;
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

    /**
     * The exception for a source whose opening failed. A compressed file that ends early is {@link Kind#BROKEN},
     * because the file has the expected form and lacks data.
     */
    static SourceException unusable(String name, IOException e) {
        Kind kind = e instanceof EOFException ? Kind.BROKEN : Kind.UNUSABLE;
        return new SourceException(kind, "cannot read %s (%s)".formatted(name, reason(e)), e);
    }

    private static InputStream decompressed(RawInput raw) throws IOException {
        if (raw.beginsWith(GZIP)) {
            return new GzipInput(raw);
        }
        return raw.beginsWith(ZSTD) ? zstd(raw) : raw;
    }

    /** The loading of {@link ZstdInput} itself fails without the library, so this method handles the error. */
    private static InputStream zstd(RawInput raw) throws IOException {
        try {
            return new ZstdInput(raw);
        } catch (LinkageError e) {
            throw new IOException(
                    "it is compressed with Zstandard, and the library com.github.luben:zstd-jni is missing or does not"
                            + " run here. Add this library, or decompress the file with zstd -d",
                    e);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        InputStream bytes = content;
        if (bytes == null) {
            bytes = decompressed(raw);
            content = bytes;
        }
        int read = bytes.read(into, offset, length);
        if (bytes != raw && read > 0) {
            delivered += read;
            checkRatio();
        }
        return read;
    }

    private void checkRatio() throws IOException {
        long limit = Math.max(UNCHECKED_BYTES, MAX_RATIO * raw.count());
        if (delivered > limit) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%,d compressed bytes expand to more than %,d times their size. If this is right, decompress the"
                            + " file with a program, and pipe the result into standard input",
                    raw.count(),
                    MAX_RATIO));
        }
    }

    /** The share of the file that has been read, 0.0 to 1.0; empty if the size is unknown. */
    OptionalDouble share() {
        return size.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(size.getAsLong() == 0 ? 1 : Math.min(1, raw.count() / (double) size.getAsLong()));
    }

    /** Closes the stream, even if the stream belongs to the caller, because only a close ends a blocked read. */
    void cancel() {
        raw.cancel(closed);
    }

    boolean isCancelled() {
        return raw.isCancelled();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try (raw) {
            InputStream bytes = content;
            if (bytes != null) {
                bytes.close();
            }
        }
    }

    /** The bytes of the file or stream as they are stored. */
    private static final class RawInput extends InputStream {

        private final InputStream in;
        private final boolean owned;
        private final AtomicLong count = new AtomicLong();
        private volatile boolean cancelled;
        /** The first bytes of the stream, which were read to detect a compression. */
        private final byte[] first = new byte[ZSTD.length];

        private int firstCount;
        private int firstRead;
        private boolean ended;

        RawInput(InputStream in, boolean owned) {
            this.in = in;
            this.owned = owned;
        }

        /** Whether the stream begins with {@code mark}. Reads no more bytes than needed to decide. */
        boolean beginsWith(byte[] mark) throws IOException {
            while (firstCount < mark.length && Arrays.equals(first, 0, firstCount, mark, 0, firstCount)) {
                if (readMore(first, firstCount, 1) <= 0) {
                    return false;
                }
                firstCount++;
            }
            return firstCount >= mark.length && Arrays.equals(first, 0, mark.length, mark, 0, mark.length);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read;
            if (firstRead < firstCount) {
                read = Math.min(length, firstCount - firstRead);
                System.arraycopy(first, firstRead, into, offset, read);
                firstRead += read;
            } else {
                read = readMore(into, offset, length);
            }
            if (read > 0) {
                count.lazySet(count.getPlain() + read);
            }
            return read;
        }

        /** Does not read again after the end, because a terminal would wait for more input. */
        private int readMore(byte[] into, int offset, int length) throws IOException {
            int read = ended ? -1 : in.read(into, offset, length);
            ended |= read < 0;
            return read;
        }

        /** 0, so that a decompression delivers the bytes that it has before it blocks in another read. */
        @Override
        public int available() {
            return 0;
        }

        /** The number of bytes that were read. Any thread. */
        long count() {
            return count.get();
        }

        void cancel(boolean alreadyClosed) {
            cancelled = true;
            if (alreadyClosed) {
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
            if (owned) {
                in.close();
            }
        }
    }
}
