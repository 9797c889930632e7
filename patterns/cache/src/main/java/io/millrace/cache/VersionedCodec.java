// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A codec that adds the version of the value format to the bytes of another codec. Entries of another version are
 * undecodable, so their values are loaded again.
 *
 * @param <V> the type of the values
 */
public final class VersionedCodec<V> implements Codec<V> {

    private final int version;
    private final Codec<V> codec;

    private VersionedCodec(int version, Codec<V> codec) {
        this.version = version;
        this.codec = Objects.requireNonNull(codec, "codec");
    }

    /** Returns the codec of {@code version}. Use a new number for each incompatible change of the format. */
    public static <V> VersionedCodec<V> of(int version, Codec<V> codec) {
        return new VersionedCodec<>(version, codec);
    }

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
                    "an entry has another format version: version=" + found + ", expected=" + version);
        }
        return codec.decode(bytes, offset + Integer.BYTES, length - Integer.BYTES);
    }
}
