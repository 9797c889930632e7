// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Arrays;

/** See {@link Codec#bytes}. */
enum BytesCodec implements Codec<byte[]> {
    /** The only instance. */
    INSTANCE;

    @Override
    public byte[] encode(byte[] value) {
        return value;
    }

    @Override
    public byte[] decode(byte[] bytes, int offset, int length) {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    @Override
    public byte[] decode(byte[] bytes) {
        return bytes;
    }
}
