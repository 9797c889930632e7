// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;

/** Writes bytes as JSON values. Bytes that are not UTF-8 become an object {@code {"base64":"…"}}. */
final class JsonBytes {

    private JsonBytes() {}

    /** Writes the bytes of a text. */
    static void write(JsonGenerator json, byte[] bytes, int start, int length) {
        try {
            json.writeString(text(bytes, start, length));
        } catch (CharacterCodingException e) {
            writeBase64(json, bytes, start, length);
        }
    }

    /** Writes the bytes of a JSON value, on one line. */
    static void writeJson(JsonGenerator json, byte[] bytes, int start, int length) {
        try {
            // A line end in a JSON value is white space between its parts.
            json.writeRawValue(text(bytes, start, length).replace('\n', ' ').replace('\r', ' '));
        } catch (CharacterCodingException e) {
            writeBase64(json, bytes, start, length);
        }
    }

    private static String text(byte[] bytes, int start, int length) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, start, length))
                .toString();
    }

    static void writeBase64(JsonGenerator json, byte[] bytes, int start, int length) {
        json.writeStartObject();
        json.writeName("base64");
        json.writeBinary(bytes, start, length);
        json.writeEndObject();
    }
}
