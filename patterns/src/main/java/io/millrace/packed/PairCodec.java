// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * How the value of a pair becomes bytes and is made of them again. Both functions are called on the thread that asks, and must be safe
 * for all that do. Short is good: what has more than 64 bytes is kept compact by no server that has its default settings.
 *
 * @param encode of who puts
 * @param decode of who gets; what it throws reaches them
 * @param <V> a value
 */
public record PairCodec<V>(Function<? super V, byte[]> encode, Function<byte[], ? extends V> decode) {

    /** Any bytes, as they are. The arrays are not copied. */
    public static final PairCodec<byte[]> BYTES = new PairCodec<>(value -> value, bytes -> bytes);

    /** Text in UTF-8; bytes that are none are refused with an {@link IllegalArgumentException}. */
    public static final PairCodec<String> TEXT =
            new PairCodec<>(text -> text.getBytes(StandardCharsets.UTF_8), PairCodec::text);

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a value is not text in UTF-8: bytes=" + bytes.length + ". Give the map a codec that reads it.", e);
        }
    }
}
