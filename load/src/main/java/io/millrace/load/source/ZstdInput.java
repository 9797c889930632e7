// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Decompresses Zstandard data (RFC 8878), which may have several frames, with the library zstd-jni.
 *
 * <p>The library is optional. Only this class refers to it, so a program without the library can read all other files.
 * Frames with a window above 128 MiB are refused, because the window is kept in native memory. The program {@code zstd}
 * refuses these frames, too, unless the user permits them.
 *
 * <p>Blocks while the stream blocks. Confined to one thread. Closing this stream also closes the other stream.
 */
final class ZstdInput extends InputStream {

    private final InputStream in;

    private ZstdInput(InputStream in) {
        this.in = in;
    }

    /**
     * Opens the decompression of {@code in}.
     *
     * @throws LinkageError if the library is missing, or does not run on this machine
     */
    static InputStream open(InputStream in) throws IOException {
        return new ZstdInput(new ZstdInputStreamNoFinalizer(in));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        try {
            return in.read(into, offset, length);
        } catch (ZstdIOException e) {
            String message = String.valueOf(e.getMessage());
            if (message.contains("Truncated")) {
                EOFException early = new EOFException("the Zstandard data ends early: the file is not complete");
                early.initCause(e);
                throw early;
            }
            throw new IOException("the Zstandard data is damaged: " + message, e);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
