// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;

/** Writes bytes as JSON values: as text, or as an object {@code {"base64":"…"}} if they are not UTF-8. */
final class JsonBytes {

    private JsonBytes() {}

    static void write(JsonGenerator json, byte[] bytes, int start, int length) {
        try {
            json.writeString(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, start, length))
                    .toString());
        } catch (CharacterCodingException e) {
            writeBase64(json, bytes, start, length);
        }
    }

    static void writeBase64(JsonGenerator json, byte[] bytes, int start, int length) {
        json.writeStartObject();
        json.writeName("base64");
        json.writeBinary(bytes, start, length);
        json.writeEndObject();
    }
}
