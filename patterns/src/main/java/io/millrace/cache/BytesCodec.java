// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Arrays;

/** See {@link Codec#bytes}. */
enum BytesCodec implements Codec<byte[]> {
    /** There is nothing to tell two apart. */
    ONLY;

    @Override
    public byte[] encode(byte[] value) {
        return value;
    }

    @Override
    public byte[] decode(byte[] bytes, int offset, int length) {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }
}
