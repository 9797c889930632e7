// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** See {@link Codec#text}. */
enum TextCodec implements Codec<String> {
    /** There is nothing to tell two apart. */
    ONLY;

    private static final char REPLACEMENT = '\ufffd';

    @Override
    public byte[] encode(String value) {
        if (!WellFormed.test(value)) {
            throw new IllegalArgumentException("a value is no text that UTF-8 has: characters=" + value.length()
                    + ". It has half of a surrogate pair.");
        }
        return value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String decode(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : strictly(bytes, offset, length);
    }

    /** The replacement was in the text, or the text is none. */
    private static String strictly(byte[] bytes, int offset, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, offset, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("an entry is not text in UTF-8: bytes=" + length, e);
        }
    }
}
