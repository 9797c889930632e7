// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * A part of the stream in one direction of a {@link FaultProxy}: some bytes, or the end of the stream. {@code
 * readNanos} is the time at which the proxy read this part.
 */
sealed interface StreamChunk {

    long readNanos();

    /** Some bytes of the stream. Nothing changes the content of {@code bytes} any more. */
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
