// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.JsonNumber;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.Repetition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
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

    boolean isEmpty() {
        return lines.size() == 0;
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
            JsonBytes.write(json, key, 0, keyLength);
        }
        json.writeStringProperty("reason", rejection.reason().code());
        json.writeStringProperty("message", rejection.message());
        json.writeNumberProperty("attempt", 1);
        boolean fits = namesDiffer && row.size() == names.size();
        int[] cut = marked(row, row::isCut);
        int[] incorrect = marked(row, row::isIncorrect);
        if (cut.length > 0) {
            writeColumns("cut", cut, fits);
        }
        // A row that its source rejected must be corrected, even if the source marks no column.
        if (incorrect.length > 0 || (fits && row.isRejected() && cut.length == 0)) {
            writeColumns("incorrect", incorrect, fits);
        }
        json.writeName("row");
        writeValues(row, fits);
        end();
    }

    void append(RowRange range, Repetition repetition) {
        json.writeStartObject();
        json.writeStringProperty("source", range.file().isEmpty() ? source : range.file());
        json.writeNumberProperty("number", range.firstRow());
        if (range.firstLine() > 0) {
            json.writeNumberProperty("line", range.firstLine());
        }
        json.writeNumberProperty("lastNumber", range.lastRow());
        if (range.firstLine() > 0) {
            json.writeNumberProperty("lastLine", range.lastLine());
        }
        json.writeStringProperty("reason", "unconfirmed");
        json.writeStringProperty(
                "message",
                range.unconfirmed() + " of these rows may or may not have been written: their commands got no reply. "
                        + repetition.advice());
        json.writeNumberProperty("attempt", 1);
        end();
    }

    private void end() {
        json.writeEndObject();
        json.flush();
        lines.write('\n');
    }

    private static int[] marked(Row row, IntPredicate isMarked) {
        return IntStream.range(0, row.size()).filter(isMarked).toArray();
    }

    /**
     * Writes a member with the names of columns.
     *
     * @param byName whether the row is an object. The columns of an array are numbers, from 1
     */
    private void writeColumns(String member, int[] columns, boolean byName) {
        json.writeArrayPropertyStart(member);
        for (int column : columns) {
            if (byName) {
                json.writeString(names.get(column));
            } else {
                json.writeNumber(column + 1);
            }
        }
        json.writeEndArray();
    }

    private void writeValues(Row row, boolean fits) {
        if (fits) {
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
            case TEXT -> JsonBytes.write(json, bytes, start, length);
            case NUMBER -> {
                if (JsonNumber.matches(bytes, start, length)) {
                    json.writeRawValue(row.text(column));
                } else {
                    JsonBytes.write(json, bytes, start, length);
                }
            }
            case BOOLEAN -> json.writeBoolean(length > 0 && bytes[start] == 't');
            case BYTES -> JsonBytes.writeBase64(json, bytes, start, length);
            // A line end in a JSON value is white space between its parts.
            case JSON -> json.writeRawValue(row.text(column).replace('\n', ' ').replace('\r', ' '));
        }
    }
}
