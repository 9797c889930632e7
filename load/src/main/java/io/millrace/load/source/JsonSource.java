// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.JsonOptions.Layout;
import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a JSON file, or of a stream in this format: JSON lines, an array of objects, or objects after each other.
 *
 * <p>Each record is a JSON object in UTF-8. Strings become {@link Row.Kind#TEXT} without their escapes. Numbers and
 * booleans keep their text. Objects and arrays become {@link Row.Kind#JSON} with unchanged bytes. {@code null} and a
 * missing member are {@link Row.Kind#NULL}.
 *
 * <p>Without {@link JsonOptions#columns}, the columns are all members of the first records: of {@value #SAMPLE_RECORDS}
 * records, or of as many as 1 MB contains. {@link #open} reads these records, and blocks until they have arrived. A
 * later record with another member is rejected, because the value of this member would be lost.
 *
 * <p>A row is rejected if its record is not a JSON object, is malformed, is deeper than 500 levels, is longer than
 * {@link JsonOptions#recordLimitBytes}, or has a member twice. Reading continues with the next record. In the layout
 * {@link Layout#DOCUMENT}, reading continues only if the brackets of the record are in pairs; otherwise {@link
 * RowReader#next} throws {@link Kind#BROKEN}.
 *
 * <p>A rejects file of an earlier load can be read, too. If the first record is a line of a rejects file, and no
 * columns are given, the rows are the rejected rows with their original columns and kinds.
 */
public final class JsonSource implements RowSource {

    private static final int SAMPLE_RECORDS = 1_000;
    private static final int SAMPLE_BYTES = 1 << 20;

    /**
     * Maximum number of columns. Without this limit, a record with many members would be read into memory as columns.
     */
    private static final int MAX_COLUMNS = 65_536;

    /** The members of each line of a rejects file. A line about unconfirmed rows has no member {@code row}. */
    private static final Set<String> REJECTS_MEMBERS = Set.of("source", "number", "reason", "message", "attempt");

    private final String name;
    private final JsonOptions options;
    private final boolean readableAgain;
    private final Supplier<Map<String, String>> identity;
    private final SourceInput.Opener opener;

    private JsonSource(
            String name,
            JsonOptions options,
            boolean readableAgain,
            Supplier<Map<String, String>> identity,
            SourceInput.Opener opener) {
        this.name = name;
        this.options = options;
        this.readableAgain = readableAgain;
        this.identity = identity;
        this.opener = opener;
    }

    /** The file {@code path}. A pipe or another special file can be read only once. */
    public static JsonSource of(Path path, JsonOptions options) {
        boolean readableAgain = !Files.exists(path) || Files.isRegularFile(path);
        return new JsonSource(
                path.toString(),
                options,
                readableAgain,
                () -> FileIdentity.of(path, options),
                () -> SourceInput.open(path));
    }

    /**
     * The stream {@code in}, such as standard input. The source can be opened once, and does not close the stream. For
     * a cancellation, the same rules apply as for {@link CsvSource#of(InputStream, String, CsvOptions)}.
     *
     * @param name name of the source; its ending selects the layout, as the ending of a file name does
     */
    public static JsonSource of(InputStream in, String name, JsonOptions options) {
        AtomicBoolean opened = new AtomicBoolean();
        return new JsonSource(name, options, false, () -> FileIdentity.ofStream(options), () -> {
            if (opened.getAndSet(true)) {
                throw new IOException("the stream can be read only once");
            }
            return SourceInput.borrowed(in);
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean readableAgain() {
        return readableAgain;
    }

    @Override
    public Map<String, String> identity() {
        return identity.get();
    }

    /** The name of the file or of the stream, and how it is read. */
    @Override
    public String toString() {
        return "JsonSource[name=" + name + ", options=" + options + "]";
    }

    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /** The same. A cancellation ends a blocked read of the first records. */
    @Override
    public RowReader open(OpeningListener listener) {
        return open(List.of(), listener);
    }

    /**
     * Opens the source with known columns.
     *
     * @param known columns of the files before this file, if the source is one of several files; otherwise empty
     */
    RowReader open(List<Column> known, OpeningListener listener) {
        try {
            SourceInput in = opener.open();
            listener.opening(in::cancel);
            try {
                return open(in, known);
            } catch (IOException | RuntimeException e) {
                in.close();
                throw e;
            }
        } catch (IOException e) {
            throw SourceInput.unusable(name, e);
        }
    }

    private RowReader open(SourceInput in, List<Column> known) throws IOException {
        JsonRecords records = new JsonRecords(in, options.layoutFor(name), options.recordLimitBytes());
        JsonRowParser parser = new JsonRowParser();
        ArrayDeque<JsonRecord> sample = new ArrayDeque<>();
        JsonColumns columns;
        if (!options.columns().isEmpty()) {
            columns = JsonColumns.of(Columns.named(name, options.columns()), false);
        } else {
            readSample(records, sample, known.isEmpty() ? SAMPLE_RECORDS : 1);
            columns = columns(sample, parser, known);
        }
        return new JsonRowReader(name, in, records, sample, parser, columns);
    }

    private static void readSample(JsonRecords records, ArrayDeque<JsonRecord> sample, int count) throws IOException {
        long bytes = 0;
        while (sample.size() < count && bytes < SAMPLE_BYTES) {
            JsonRecord record = nextOf(records, sample.isEmpty());
            if (record == null) {
                return;
            }
            sample.add(record.copied());
            bytes += record.length();
        }
    }

    /**
     * The next record; null at the end. After the first record, a failure ends the sample. The reader throws it later.
     */
    private static @Nullable JsonRecord nextOf(JsonRecords records, boolean first) throws IOException {
        try {
            return records.next();
        } catch (IOException e) {
            if (first) {
                throw e;
            }
            return null;
        }
    }

    private JsonColumns columns(ArrayDeque<JsonRecord> sample, JsonRowParser parser, List<Column> known) {
        boolean rejects = isRejects(sample, parser);
        List<Column> columns = known.isEmpty() ? named(sample, parser, rejects ? "row" : "") : known;
        return rejects ? JsonColumns.ofRejects(columns) : JsonColumns.of(columns, true);
    }

    private static boolean isRejects(ArrayDeque<JsonRecord> sample, JsonRowParser parser) {
        Set<String> names = new LinkedHashSet<>();
        if (!sample.isEmpty()) {
            parser.addNames(sample.getFirst(), "", names);
        }
        return names.containsAll(REJECTS_MEMBERS);
    }

    private List<Column> named(ArrayDeque<JsonRecord> sample, JsonRowParser parser, String under) {
        Set<String> names = new LinkedHashSet<>();
        for (JsonRecord record : sample) {
            parser.addNames(record, under, names);
            if (names.size() > MAX_COLUMNS) {
                throw new SourceException(
                        Kind.UNUSABLE,
                        "cannot read %s: its first records have more than 65,536 members. Name the columns."
                                .formatted(name));
            }
        }
        names.remove("");
        if (names.isEmpty()) {
            throw new SourceException(
                    Kind.UNUSABLE,
                    "cannot read %s: %s. Name the columns, or check the format."
                            .formatted(
                                    name,
                                    sample.isEmpty() ? "it has no records" : "its first records are no JSON objects"));
        }
        return Columns.named(name, List.copyOf(names));
    }
}
