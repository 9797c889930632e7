// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Rows of several files, one file after the other, in the given order. So of rows with the same key, the row of the
 * last file wins, as in a single file.
 *
 * <p>All files have the same columns in the same order. {@link #open} checks this before the first row is read. The
 * columns of JSON files are those of the first file. {@link Row#file} names the file of a row, {@link Row#number}
 * counts the rows of all files, and {@link Row#line} is the line in the file of the row.
 */
public final class FilesSource implements RowSource {

    private final List<RowSource> files;

    private FilesSource(List<RowSource> files) {
        this.files = files;
    }

    /**
     * The rows of {@code files}.
     *
     * @throws IllegalArgumentException if there is no file
     */
    public static FilesSource of(List<? extends RowSource> files) {
        if (files.isEmpty()) {
            throw new IllegalArgumentException("files=0; it must be at least 1");
        }
        return new FilesSource(List.copyOf(files));
    }

    @Override
    public String name() {
        int more = files.size() - 1;
        return files.getFirst().name() + (more == 0 ? "" : " and " + more + " more file" + (more == 1 ? "" : "s"));
    }

    @Override
    public boolean readableAgain() {
        return files.stream().allMatch(RowSource::readableAgain);
    }

    /** The names and the identities of all files. */
    @Override
    public Map<String, String> identity() {
        Map<String, String> facts = new LinkedHashMap<>();
        for (RowSource file : files) {
            file.identity().forEach((fact, value) -> facts.put(fact + " of " + file.name(), value));
        }
        facts.put("files", Integer.toString(files.size()));
        return facts;
    }

    @Override
    public boolean hasStableOrder() {
        return files.stream().allMatch(RowSource::hasStableOrder);
    }

    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /** The same. A cancellation ends a blocked read of the beginning of the first file. */
    @Override
    public RowReader open(OpeningListener listener) {
        RowReader first = files.getFirst().open(listener);
        try {
            for (RowSource file : files.subList(1, files.size())) {
                // A file that can be read only once is checked when its turn has come. A JSON file takes the columns.
                if (file.readableAgain() && !(file instanceof JsonSource)) {
                    try (RowReader reader = file.open()) {
                        check(file, first.columns(), reader.columns(), Kind.UNUSABLE);
                    }
                }
            }
            return new FilesRowReader(files, first);
        } catch (RuntimeException e) {
            first.close();
            throw e;
        }
    }

    private static RowReader open(RowSource file, List<Column> columns) {
        RowReader reader = file instanceof JsonSource json ? json.open(columns, cancel -> {}) : file.open();
        try {
            check(file, columns, reader.columns(), Kind.BROKEN);
            return reader;
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    private static void check(RowSource file, List<Column> expected, List<Column> found, Kind kind) {
        if (!expected.equals(found)) {
            List<Column> missing = new ArrayList<>(expected);
            missing.removeAll(found);
            List<Column> additional = new ArrayList<>(found);
            additional.removeAll(expected);
            throw new SourceException(
                    kind,
                    ("the columns of %s differ from the columns of the first file: missing=%s, additional=%s%s."
                                    + " Load the files separately.")
                            .formatted(
                                    file.name(),
                                    names(missing),
                                    names(additional),
                                    missing.isEmpty() && additional.isEmpty() ? " (another order)" : ""));
        }
    }

    private static List<String> names(List<Column> columns) {
        return columns.stream().map(Column::name).limit(10).toList();
    }

    private static final class FilesRowReader implements RowReader {

        private final List<RowSource> files;
        private final List<Column> columns;
        /** Written by the loading thread. Any thread may cancel the reader. */
        private volatile RowReader current;

        private volatile boolean cancelled;
        /** Index of the file of {@link #current}. Written by the loading thread. */
        private volatile int index;

        private boolean ended;
        private long number;

        FilesRowReader(List<RowSource> files, RowReader first) {
            this.files = files;
            this.current = first;
            this.columns = first.columns();
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next(Row row) {
            row.clear(0, 0);
            while (!ended) {
                if (current.next(row)) {
                    row.place(++number, files.get(index).name());
                    return true;
                }
                openNext();
            }
            return false;
        }

        private void openNext() {
            current.close();
            int next = index + 1;
            if (next == files.size()) {
                ended = true;
                return;
            }
            current = open(files.get(next), columns);
            index = next;
            // The flag is read after the reader is published. So a concurrent call of cancel, which writes the flag
            // first, either finds the new reader or is noticed here.
            if (cancelled) {
                current.cancel();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            current.cancel();
        }

        /** Each file counts the same, because the sizes of compressed files say little about their rows. */
        @Override
        public OptionalDouble share() {
            OptionalDouble inFile = current.share();
            return inFile.isEmpty()
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Math.min(1, (index + inFile.getAsDouble()) / files.size()));
        }

        @Override
        public void close() {
            current.close();
        }
    }
}
