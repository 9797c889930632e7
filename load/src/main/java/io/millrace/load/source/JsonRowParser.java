// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.json.JsonFactory;

/**
 * Parses records with Jackson, and fills rows with their values.
 *
 * <p>DESIGN: one non-blocking parser of Jackson parses many records, because creating a parser takes longer than
 * parsing a usual record. The parser receives the bytes of one record at a time. After a syntax error it is replaced
 * by a new parser. It is also replaced after {@value #PARSER_BYTES} bytes, because it keeps the member names that it
 * has seen.
 *
 * <pre>
 *   record bytes -> Jackson -> values (a Row, in the order of the record) -> row (in the order of the columns)
 *             \______________ nested objects and arrays: their bytes, unchanged ______/
 * </pre>
 *
 * <p>Confined to one thread. Never blocks.
 */
final class JsonRowParser {

    /** Maximum depth of a record. The default of Jackson; deeper records are rejected. */
    private static final int MAX_DEPTH = 500;

    /** A parser is replaced after this number of bytes, so that the names which it keeps occupy about 16 MB at most. */
    private static final long PARSER_BYTES = 16L << 20;

    private static final int MAX_SHOWN = 200;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonParser parser = newParser();
    private ByteArrayFeeder feeder = (ByteArrayFeeder) parser.nonBlockingInputFeeder();
    /** The number of bytes that {@link #parser} received before the current record. */
    private long fed;

    // The state of the current record.
    private JsonRecord record = new JsonRecord(new byte[0], 0, 0, false, 0, JsonRecord.Flaw.NONE);
    private final Row values = new Row();
    private @Nullable Rejection problem;

    /** A record is not valid JSON. */
    private static final class MalformedRecordException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MalformedRecordException(String message) {
            // Without a stack trace, because an input may have millions of malformed records.
            super(message, null, false, false);
        }
    }

    private static JsonParser newParser() {
        return JSON.createNonBlockingByteArrayParser(ObjectReadContext.empty());
    }

    /**
     * Adds the values of {@code source} to {@code row}, one for each column. A row that is rejected contains the record
     * itself instead: the whole record if it is valid JSON, otherwise its beginning.
     */
    void parse(JsonRecord source, JsonColumns columns, Row row) {
        record = source;
        problem = flaw();
        boolean valid = problem == null && isValid(columns);
        Rejection found = problem;
        if (found == null) {
            columns.addTo(row, values);
            return;
        }
        int length = valid ? record.length() : Math.min(record.length(), JsonRecords.KEPT_OF_BAD_RECORD);
        if (length < record.length() || record.flaw() != JsonRecord.Flaw.NONE) {
            row.cutOpen();
        }
        row.add(valid ? Row.Kind.JSON : Row.Kind.TEXT, record.bytes(), record.start(), length);
        if (columns.columns().size() == 1) {
            // A second value shows the rejects file that the record is not the value of the only column.
            row.addNull();
        }
        row.reject(found.reason(), found.message());
    }

    /** Parses the record. Returns whether it is valid JSON. Sets {@link #problem} if its row cannot be used. */
    private boolean isValid(JsonColumns columns) {
        try {
            columns.clear();
            values.clear(0, 0);
            begin();
            object(columns.paths(), columns);
            end();
            if (problem == null) {
                problem = columns.refusal(values);
            }
            return true;
        } catch (JacksonException | MalformedRecordException e) {
            problem = malformed(e);
            return false;
        }
    }

    /**
     * Adds the names of the members of {@code source} to {@code names}; nothing if the record is malformed.
     *
     * @param under name of the member whose object has the names; empty for the record itself
     */
    void addNames(JsonRecord source, String under, Collection<String> names) {
        record = source;
        if (flaw() != null) {
            return;
        }
        try {
            begin();
            addNames(under.isEmpty(), under, names);
            end();
        } catch (JacksonException | MalformedRecordException e) {
            replaceParser();
        }
    }

    private void addNames(boolean wanted, String under, Collection<String> names) {
        while (next() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken value = next();
            if (wanted) {
                names.add(name);
            }
            if (!wanted && name.equals(under) && value == JsonToken.START_OBJECT) {
                addNames(true, under, names);
            } else {
                parser.skipChildren();
            }
        }
    }

    /** The reason why the bytes of the record cannot be parsed. */
    private @Nullable Rejection flaw() {
        byte[] bytes = record.bytes();
        return switch (record.flaw()) {
            case TOO_LONG ->
                new Rejection(Reason.RECORD_TOO_LONG, "the record is longer than the limit; its beginning: " + shown());
            case NOT_CLOSED ->
                new Rejection(Reason.MALFORMED_JSON, "the input ends inside the record; its beginning: " + shown());
            case NONE -> {
                if (!record.isObject()) {
                    yield new Rejection(Reason.MALFORMED_JSON, "the record is not a JSON object: " + shown());
                }
                int bad = record.hasNonAscii() ? Utf8.firstBad(bytes, record.start(), record.length()) : -1;
                yield bad < 0
                        ? null
                        : new Rejection(
                                Reason.NOT_UTF8,
                                String.format(
                                        Locale.ROOT,
                                        "the record is not UTF-8: byte 0x%02X after %d bytes",
                                        bytes[record.start() + bad] & 0xFF,
                                        bad));
            }
        };
    }

    private Rejection malformed(RuntimeException e) {
        long at = parser.currentLocation().getByteOffset() - fed;
        String why = e instanceof JacksonException syntax ? syntax.getOriginalMessage() : e.getMessage();
        replaceParser();
        return new Rejection(
                Reason.MALFORMED_JSON,
                String.format(
                        Locale.ROOT,
                        "the record is not valid JSON after %d bytes: %s",
                        Math.clamp(at, 0L, (long) record.length()),
                        oneLine(String.valueOf(why))));
    }

    private String shown() {
        Row row = new Row();
        row.add(Row.Kind.TEXT, record.bytes(), record.start(), Math.min(record.length(), 40));
        return oneLine(row.text(0));
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MAX_SHOWN ? line : line.substring(0, MAX_SHOWN) + "…";
    }

    // Tokens

    private void begin() {
        if (fed > PARSER_BYTES) {
            replaceParser();
        }
        feeder.feedInput(record.bytes(), record.start(), record.start() + record.length());
        if (next() != JsonToken.START_OBJECT) {
            throw new MalformedRecordException("it does not begin with an object");
        }
    }

    private void end() {
        JsonToken more = parser.nextToken();
        if (more != JsonToken.NOT_AVAILABLE) {
            throw new MalformedRecordException("another value follows the object");
        }
        fed += record.length();
    }

    private void replaceParser() {
        parser.close();
        parser = newParser();
        feeder = (ByteArrayFeeder) parser.nonBlockingInputFeeder();
        fed = 0;
    }

    private JsonToken next() {
        JsonToken token = parser.nextToken();
        if (token == null || token == JsonToken.NOT_AVAILABLE) {
            throw new MalformedRecordException("the record ends early");
        }
        return token;
    }

    // Values

    private void object(JsonPaths paths, JsonColumns columns) {
        while (next() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonPaths child = paths.get(name);
            JsonToken value = next();
            if (child != null) {
                value(child, columns, value);
            } else {
                if (paths.isStrict()) {
                    unknown(name);
                }
                parser.skipChildren();
            }
        }
    }

    private void array(JsonPaths paths, JsonColumns columns) {
        int index = 0;
        for (JsonToken token = next(); token != JsonToken.END_ARRAY; token = next()) {
            JsonPaths child = paths.get(Integer.toString(index++));
            if (child != null) {
                value(child, columns, token);
            } else {
                parser.skipChildren();
            }
        }
    }

    private void value(JsonPaths paths, JsonColumns columns, JsonToken token) {
        if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
            nested(paths, columns, token);
            return;
        }
        if (paths.column() == JsonPaths.NO_COLUMN) {
            return;
        }
        switch (token) {
            case VALUE_NULL -> values.addNull();
            case VALUE_TRUE -> values.add(true);
            case VALUE_FALSE -> values.add(false);
            case VALUE_STRING -> addText(columns.name(paths.column()));
            default -> {
                values.append(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength());
                values.end(Row.Kind.NUMBER);
            }
        }
        added(paths.column(), columns);
    }

    private void addText(String column) {
        if (!values.append(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength())) {
            report(Reason.MALFORMED_JSON, "'" + column + "' contains one half of a surrogate pair");
        }
        values.end(Row.Kind.TEXT);
    }

    private void nested(JsonPaths paths, JsonColumns columns, JsonToken token) {
        // The parser has read the opening bracket.
        int start = record.start() + offset() - 1;
        if (!paths.hasChildren()) {
            parser.skipChildren();
        } else if (token == JsonToken.START_OBJECT) {
            object(paths, columns);
        } else {
            array(paths, columns);
        }
        if (paths.column() != JsonPaths.NO_COLUMN) {
            columns.addNested(values, record.bytes(), start, record.start() + offset());
            added(paths.column(), columns);
        }
    }

    /** The number of bytes of the record that the parser has read. */
    private int offset() {
        return Math.toIntExact(parser.currentLocation().getByteOffset() - fed);
    }

    private void added(int column, JsonColumns columns) {
        if (!columns.set(column, values.size() - 1)) {
            report(Reason.MALFORMED_JSON, "the record has two values for '" + columns.name(column) + "'");
        }
    }

    private void unknown(String name) {
        report(
                Reason.UNKNOWN_COLUMN,
                "the member '" + oneLine(name) + "' is in none of the first records, so it is not a column. Name the "
                        + "columns");
    }

    /** Keeps the first problem of the record. The parser continues, so that it can be used for the next record. */
    private void report(Reason reason, String message) {
        if (problem == null) {
            problem = new Rejection(reason, message);
        }
    }
}
