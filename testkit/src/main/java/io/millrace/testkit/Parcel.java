// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** What a {@link FaultProxy} has on its way in one direction: bytes or their end, with the time it was read. */
sealed interface Parcel {

    long readNanos();

    /** The whole of {@code bytes}, which nobody changes any more. */
    record Bytes(ByteBuffer bytes, long readNanos) implements Parcel {

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

    /** Nothing follows. */
    record End(Ending ending, long readNanos) implements Parcel {}
}
