// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * How a value becomes bytes and is made of them again. Its methods are called by many threads at once.
 *
 * @param <V> a value
 */
public interface Codec<V> {

    /** The bytes of {@code value}; the array is not written to, and must not be by others. */
    byte[] encode(V value);

    /**
     * The value of some bytes of an array, which must not be written to, nor kept.
     *
     * @throws RuntimeException if they are none; the entry then counts as a miss, and as undecodable
     */
    V decode(byte[] bytes, int offset, int length);

    /** Text in UTF-8; bytes that are none are refused. */
    static Codec<String> text() {
        return TextCodec.ONLY;
    }

    /** Any bytes, as they are. */
    static Codec<byte[]> bytes() {
        return BytesCodec.ONLY;
    }

    /**
     * What {@code codec} writes, marked with the {@code version} of its format. Entries of any other version are refused, and so are
     * loaded again: give a new number whenever values of the old format would be misunderstood.
     */
    static <V> Codec<V> versioned(int version, Codec<V> codec) {
        return new VersionedCodec<>(version, codec);
    }
}
