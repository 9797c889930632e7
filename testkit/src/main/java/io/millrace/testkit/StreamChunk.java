// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Bytes of one direction of a {@link FaultProxy}, or the end of the stream, with the time at which the proxy read them.
 */
sealed interface StreamChunk {

    long readNanos();

    /** The remaining bytes of {@code bytes}. Their content does not change any more. */
    record Bytes(ByteBuffer bytes, long readNanos) implements StreamChunk {

        int length() {
            return bytes.limit();
        }

        Bytes first(int count) {
            return new Bytes(bytes.slice(0, count), readNanos);
        }

        Bytes after(int count) {
            return new Bytes(bytes.slice(count, length() - count), readNanos);
        }

        void writeTo(OutputStream out) throws IOException {
            out.write(bytes.array(), bytes.arrayOffset(), length());
        }
    }

    /** The end of the stream. */
    record End(ConnectionEnd ending, long readNanos) implements StreamChunk {}
}
