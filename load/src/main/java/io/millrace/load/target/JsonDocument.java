// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.JsonNumber;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;

/**
 * Renders a row as a JSON object with one member per written column, in the order of the columns.
 *
 * <p>Numbers and booleans keep their type, text becomes a string, and bytes become a base64 string (RFC 4648, padded,
 * on one line). A JSON value of the source, such as an array, is a member with the same bytes. NULL is left out,
 * written as the JSON value {@code null}, or written as a string, as the options of the target say. A number that JSON
 * does not allow, such as {@code NaN}, becomes a string.
 */
final class JsonDocument implements RowValue {

    /** No separator between documents, because each document is a separate value. */
    private static final JsonFactory JSON =
            JsonFactory.builder().rootValueSeparator("").build();

    private final SelectedColumns columns;
    private final SerializedString[] names;
    private final RawJson raw = new RawJson();
    private final Bytes document = new Bytes();

    /**
     * Writes to {@link #document} when flushed. Reused for all rows, because creating a generator costs as much as a
     * row.
     */
    private final JsonGenerator generator = JSON.createGenerator(ObjectWriteContext.empty(), document.asStream());

    JsonDocument(SelectedColumns columns, ColumnNames columnNames) {
        this.columns = columns;
        this.names = new SerializedString[columns.size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = new SerializedString(columnNames.name(columns.column(i)));
        }
    }

    @Override
    public Optional<Rejection> checkValue(Row row) {
        return columns.checkValue(row);
    }

    @Override
    public void render(Row row, Bytes out) {
        document.clear();
        generator.writeStartObject();
        for (int i = 0; i < names.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column)) {
                generator.writeName(names[i]);
                writeValue(row, column);
            }
        }
        generator.writeEndObject();
        generator.flush();
        out.append(document.array(), 0, document.length());
    }

    private void writeValue(Row row, int column) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int length = row.length(column);
        switch (row.kind(column)) {
            case NULL -> writeNull();
            case TEXT -> generator.writeUTF8String(bytes, start, length);
            case NUMBER -> {
                if (JsonNumber.matches(bytes, start, length)) {
                    generator.writeRawValue(raw.at(bytes, start, length));
                } else {
                    generator.writeUTF8String(bytes, start, length);
                }
            }
            case BOOLEAN -> generator.writeBoolean(length > 0 && bytes[start] == 't');
            case BYTES -> generator.writeBinary(bytes, start, length);
            case JSON -> generator.writeRawValue(raw.at(bytes, start, length));
        }
    }

    private void writeNull() {
        if (columns.nullIsJson()) {
            generator.writeNull();
        } else {
            generator.writeUTF8String(columns.nullText(), 0, columns.nullText().length);
        }
    }
}
