// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** See {@link Codec#text()}. */
enum TextCodec implements Codec<String> {
    /** The only instance. */
    INSTANCE;

    private static final char REPLACEMENT = '\ufffd';

    @Override
    public byte[] encode(String value) {
        return hasSurrogates(value) ? encodeStrictly(value) : value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String decode(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : decodeStrictly(bytes, offset, length);
    }

    private static boolean hasSurrogates(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Encodes {@code text}, and rejects text with an unpaired surrogate. {@link String#getBytes} would replace the
     * surrogate with a question mark.
     */
    private static byte[] encodeStrictly(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a text cannot be encoded in UTF-8: it has an unpaired surrogate, characters=" + text.length()
                            + ". Use Codec.bytes() for data that is not text.",
                    e);
        }
    }

    /**
     * Decodes bytes, and rejects malformed UTF-8. The caller has already decoded the bytes with {@link String}, and the
     * result contained a replacement character. There are two possible causes. If the bytes contain a replacement
     * character in valid UTF-8, this method decodes them. If the bytes are malformed, so that {@link String} inserted
     * the replacement character, this method throws an exception.
     */
    private static String decodeStrictly(byte[] bytes, int offset, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, offset, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a value is not text in UTF-8: bytes=" + length + ". Use a codec that can decode the value.", e);
        }
    }
}
