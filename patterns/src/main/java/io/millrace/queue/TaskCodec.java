// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * How a task becomes bytes and is made of them again. Both functions are called by several threads at once. What {@code decode}
 * refuses, by an exception, is not lost: it is dead-lettered.
 *
 * @param encode of the producer
 * @param decode of the consumer
 * @param <T> a task
 */
public record TaskCodec<T>(Function<? super T, byte[]> encode, Function<byte[], ? extends T> decode) {

    /** Any bytes, as they are. The arrays are not copied. */
    public static final TaskCodec<byte[]> BYTES = new TaskCodec<>(task -> task, bytes -> bytes);

    /** Text in UTF-8; half a surrogate pair, which is no character, is refused, and so are bytes that are no text. */
    public static final TaskCodec<String> TEXT = new TaskCodec<>(TaskCodec::bytes, TaskCodec::text);

    /** A task that is written as text, in UTF-8. */
    public static <T> TaskCodec<T> text(Function<? super T, String> write, Function<String, ? extends T> read) {
        return new TaskCodec<>(
                task -> TEXT.encode().apply(write.apply(task)),
                bytes -> read.apply(TEXT.decode().apply(bytes)));
    }

    private static byte[] bytes(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a task cannot be written in UTF-8: it has half a surrogate pair, characters=" + text.length()
                            + ". Use TaskCodec.BYTES for what is no text.",
                    e);
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a task is not text in UTF-8: bytes=" + bytes.length + ". Give the queue a codec that reads it.",
                    e);
        }
    }
}
