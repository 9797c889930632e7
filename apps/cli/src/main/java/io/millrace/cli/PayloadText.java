// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** Shows the bytes of a job. */
final class PayloadText {

    private PayloadText() {}

    /** Adds {@code bytes} as the text {@code name}, or as {@code nameBase64} if the bytes are not text in UTF-8. */
    static void put(Map<String, Object> fields, String name, byte[] bytes) {
        try {
            fields.put(
                    name,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException notText) {
            fields.put(name + "Base64", Base64.getEncoder().encodeToString(bytes));
        }
    }
}
