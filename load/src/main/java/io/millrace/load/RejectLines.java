// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.JsonNumber;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A buffer of rejected rows as JSON lines, in the format of {@link RejectsFile}. */
final class RejectLines {

    /** When the buffer has about this size, its owner writes it to disk. */
    private static final int FULL_BYTES = 64 * 1024;

    private static final JsonFactory JSON =
            JsonFactory.builder().rootValueSeparator("").build();

    private final String source;
    private final List<String> names;
    private final boolean namesDiffer;
    private ByteArrayOutputStream lines = new ByteArrayOutputStream(2 * FULL_BYTES);
    private JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), lines);

    RejectLines(String source, List<Column> columns) {
        this.source = source;
        this.names = columns.stream().map(Column::name).toList();
        this.namesDiffer = new HashSet<>(names).size() == names.size();
    }

    boolean isFull() {
        return lines.size() >= FULL_BYTES;
    }

    /** Writes all lines to {@code out} and clears the buffer. */
    void drainTo(OutputStream out) throws IOException {
        lines.writeTo(out);
        if (lines.size() > 2 * FULL_BYTES) {
            // Release the memory of an unusually large row.
            lines = new ByteArrayOutputStream(2 * FULL_BYTES);
            json = JSON.createGenerator(ObjectWriteContext.empty(), lines);
        } else {
            lines.reset();
        }
    }

    void append(Row row, byte[] key, int keyLength, Rejection rejection) {
        json.writeStartObject();
        json.writeStringProperty("source", row.file().isEmpty() ? source : row.file());
        json.writeNumberProperty("number", row.number());
        if (row.line() > 0) {
            json.writeNumberProperty("line", row.line());
        }
        if (keyLength > 0) {
            json.writeName("key");
            writeText(key, 0, keyLength);
        }
        json.writeStringProperty("reason", rejection.reason().code());
        json.writeStringProperty("message", rejection.message());
        json.writeNumberProperty("attempt", 1);
        json.writeName("row");
        writeValues(row);
        json.writeEndObject();
        json.flush();
        lines.write('\n');
    }

    private void writeValues(Row row) {
        if (namesDiffer && row.size() == names.size()) {
            json.writeStartObject();
            for (int column = 0; column < row.size(); column++) {
                json.writeName(names.get(column));
                writeValue(row, column);
            }
            json.writeEndObject();
        } else {
            json.writeStartArray();
            for (int column = 0; column < row.size(); column++) {
                writeValue(row, column);
            }
            json.writeEndArray();
        }
    }

    private void writeValue(Row row, int column) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int length = row.length(column);
        switch (row.kind(column)) {
            case NULL -> json.writeNull();
            case TEXT -> writeText(bytes, start, length);
            case NUMBER -> {
                if (JsonNumber.matches(bytes, start, length)) {
                    json.writeRawValue(row.text(column));
                } else {
                    writeText(bytes, start, length);
                }
            }
            case BOOLEAN -> json.writeBoolean(length > 0 && bytes[start] == 't');
            case BYTES -> writeBase64(bytes, start, length);
            // A line end in a JSON value is white space between its parts.
            case JSON -> json.writeRawValue(row.text(column).replace('\n', ' ').replace('\r', ' '));
        }
    }

    private void writeText(byte[] bytes, int start, int length) {
        try {
            json.writeString(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, start, length))
                    .toString());
        } catch (CharacterCodingException e) {
            writeBase64(bytes, start, length);
        }
    }

    private void writeBase64(byte[] bytes, int start, int length) {
        json.writeStartObject();
        json.writeName("base64");
        json.writeBinary(bytes, start, length);
        json.writeEndObject();
    }
}
