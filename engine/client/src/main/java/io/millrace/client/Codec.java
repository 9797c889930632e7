// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.function.Function;

/**
 * Encodes values to bytes and decodes bytes to values. A codec must be thread-safe: many threads call it at the same
 * time. Values and arrays are never null. A method that fails throws a {@link RuntimeException}. Each class that uses a
 * codec documents how it handles the exception.
 *
 * @param <T> the type of the values
 */
public interface Codec<T> {

    /**
     * Encodes {@code value}. The caller does not modify the returned array, and the codec must not modify the array
     * later.
     *
     * @throws RuntimeException if the value cannot be encoded
     */
    byte[] encode(T value);

    /**
     * Decodes a range of an array. The codec must neither modify nor keep the array.
     *
     * @throws RuntimeException if the bytes are not a valid value
     */
    T decode(byte[] bytes, int offset, int length);

    /**
     * Decodes a whole array. The caller must not use the array afterwards, because the value may contain the same
     * array.
     *
     * @throws RuntimeException if the bytes are not a valid value
     */
    default T decode(byte[] bytes) {
        return decode(bytes, 0, bytes.length);
    }

    /**
     * Returns the codec of byte arrays. {@code encode} returns its argument without a copy. {@code decode} of a whole
     * array also returns its argument without a copy.
     */
    static Codec<byte[]> bytes() {
        return BytesCodec.INSTANCE;
    }

    /**
     * Returns the codec of UTF-8 text. The codec throws an {@link IllegalArgumentException} for text with an unpaired
     * surrogate, and for bytes that are not valid UTF-8.
     */
    static Codec<String> text() {
        return TextCodec.INSTANCE;
    }

    /** Returns a codec that converts values to UTF-8 text and back. Both functions must be thread-safe. */
    static <T> Codec<T> text(Function<? super T, String> write, Function<String, ? extends T> read) {
        return new MappedCodec<>(text(), write, read);
    }

    /**
     * Returns a codec that calls {@code encode} and {@code decode}. Both functions must be thread-safe. The function
     * {@code decode} may keep the array that it receives.
     */
    static <T> Codec<T> of(Function<? super T, byte[]> encode, Function<byte[], ? extends T> decode) {
        return new MappedCodec<>(bytes(), encode, decode);
    }
}
