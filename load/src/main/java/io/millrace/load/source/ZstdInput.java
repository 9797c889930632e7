// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Decompresses Zstandard data (RFC 8878), which may have several frames, with the library zstd-jni.
 *
 * <p>DESIGN: why this is not the stream of the library, {@code ZstdInputStream}. If a frame begins in the same buffer
 * as the end of the frame before it, that stream does not notice that this frame is incomplete. So it would lose rows
 * without an error. This class knows after each call of the library whether a frame has ended.
 *
 * <p>The library is optional. Only this class refers to it, so a program without the library can read all other files.
 * Frames with a window above 128 MiB are refused, because the window is kept in native memory. The program {@code zstd}
 * refuses these frames, too, unless the user permits them.
 *
 * <p>Blocks while the stream blocks. Confined to one thread. Closing this stream does not close the other stream.
 */
final class ZstdInput extends InputStream {

    private static final int BUFFER_BYTES = 128 * 1024;

    private final InputStream in;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final byte[] compressed = new byte[BUFFER_BYTES];
    /** Compressed bytes that were not decompressed yet. */
    private final ByteBuffer source = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    /** Decompressed bytes that were not read yet. */
    private final ByteBuffer content = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();

    /** Whether a frame has begun and not ended. */
    private boolean inFrame;
    /** Whether the library may have more decompressed bytes without more compressed bytes. */
    private boolean mayHaveMore;

    /**
     * Creates the decompression of {@code in}. Reads nothing.
     *
     * @throws LinkageError if the library is missing, or does not run on this machine
     */
    ZstdInput(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!content.hasRemaining()) {
            if (!decompress()) {
                return -1;
            }
        }
        int count = Math.min(length, content.remaining());
        content.get(into, offset, count);
        return count;
    }

    /** Decompresses some bytes. Returns false at the end of the data. */
    private boolean decompress() throws IOException {
        if (!source.hasRemaining() && !mayHaveMore && !fill()) {
            if (inFrame) {
                throw new EOFException("the Zstandard data ends early: the file is not complete");
            }
            return false;
        }
        content.clear();
        try {
            inFrame = !context.decompressDirectByteBufferStream(content, source);
        } catch (ZstdException e) {
            throw new IOException("the Zstandard data is damaged: " + e.getMessage(), e);
        } finally {
            content.flip();
        }
        mayHaveMore = inFrame && content.limit() == content.capacity();
        return true;
    }

    private boolean fill() throws IOException {
        int count = in.read(compressed, 0, compressed.length);
        source.clear();
        source.put(compressed, 0, Math.max(0, count)).flip();
        return count > 0;
    }

    /** Releases the memory of the decompression. */
    @Override
    public void close() {
        context.close();
    }
}
