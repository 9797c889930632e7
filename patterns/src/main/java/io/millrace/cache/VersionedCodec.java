// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.nio.ByteBuffer;

/** See {@link Codec#versioned}. */
record VersionedCodec<V>(int version, Codec<V> codec) implements Codec<V> {

    @Override
    public byte[] encode(V value) {
        byte[] bytes = codec.encode(value);
        return ByteBuffer.allocate(Integer.BYTES + bytes.length)
                .putInt(version)
                .put(bytes)
                .array();
    }

    @Override
    public V decode(byte[] bytes, int offset, int length) {
        int found = ByteBuffer.wrap(bytes, offset, length).getInt();
        if (found != version) {
            throw new IllegalArgumentException(
                    "an entry is of another version: version=" + found + ", expected=" + version);
        }
        return codec.decode(bytes, offset + Integer.BYTES, length - Integer.BYTES);
    }
}
