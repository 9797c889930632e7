// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;

/** Text that goes into a running {@code COPY … FROM STDIN}, a buffer at a time; closing it ends the copy. */
final class CopyWriter extends Writer {

    private static final int BUFFER_CHARS = 1 << 16;

    private final CopyIn copy;
    private final StringBuilder buffer = new StringBuilder(BUFFER_CHARS);

    CopyWriter(CopyIn copy) {
        this.copy = copy;
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        buffer.append(text, offset, length);
        if (buffer.length() >= BUFFER_CHARS) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        var bytes = buffer.toString().getBytes(StandardCharsets.UTF_8);
        buffer.setLength(0);
        try {
            copy.writeToCopy(bytes, 0, bytes.length);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        flush();
        try {
            copy.endCopy();
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
