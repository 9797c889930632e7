// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of several files, one file after the other, in the given order. So of rows with the same key, the row of the
 * last file wins, as in a single file. With {@link #withReaders}, several files are read at once.
 *
 * <p>All files have the same columns in the same order. {@link #open} checks this before the first row is read. The
 * columns of JSON files are those of the first file. {@link Row#file} names the file of a row, {@link Row#number}
 * counts the rows of all files, and {@link Row#line} is the line in the file of the row.
 */
public final class FilesSource implements RowSource {

    private final List<RowSource> files;
    private final int readers;

    private FilesSource(List<RowSource> files, int readers) {
        this.files = files;
        this.readers = readers;
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
        return new FilesSource(List.copyOf(files), 1);
    }

    /**
     * The same files, of which up to {@code count} are read at once, each with a thread of its own. The rows of a file
     * keep their order. The order between the files is not determined, so rows of different files must not have the same
     * key, unless their order does not matter.
     *
     * @param count {@link JdbcOptions#READERS}
     */
    public FilesSource withReaders(int count) {
        JdbcOptions.READERS.check(count);
        return new FilesSource(files, count);
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

    /** The least certain order of all files. */
    @Override
    public RowOrder order() {
        return readersAtOnce() > 1
                ? RowOrder.NONE
                : files.stream()
                        .map(RowSource::order)
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
    }

    private int readersAtOnce() {
        return Math.min(readers, files.size());
    }

    /** The files, and not the number of readers. */
    @Override
    public String toString() {
        return "FilesSource" + files;
    }

    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /** The same. A cancellation ends a blocked read of the beginning of a file. */
    @Override
    public RowReader open(OpeningListener listener) {
        Canceller canceller = new Canceller();
        listener.opening(canceller::cancel);
        RowReader first = files.getFirst().open(canceller::use);
        try {
            for (RowSource file : files.subList(1, files.size())) {
                // A file that can be read only once is checked when its turn has come. A JSON file takes the columns.
                if (file.readableAgain() && !(file instanceof JsonSource)) {
                    try (RowReader reader = file.open(canceller::use)) {
                        check(file, first.columns(), reader.columns(), Kind.UNUSABLE);
                    }
                }
            }
            canceller.use(first::cancel);
            RowReader reader = reader(first, canceller);
            canceller.use(reader::cancel);
            return reader;
        } catch (RuntimeException e) {
            first.close();
            throw e;
        }
    }

    private RowReader reader(RowReader first, Canceller canceller) {
        FileQueue queue = new FileQueue(files);
        List<Column> columns = first.columns();
        if (readersAtOnce() == 1) {
            return new FilesRowReader(queue, columns, first);
        }
        List<RowSource> parts = new ArrayList<>();
        for (int i = 0; i < readersAtOnce(); i++) {
            parts.add(new QueuedFiles(queue, columns, i == 0 ? first : null));
        }
        return ParallelRowReader.open(name(), parts, queue, canceller::use);
    }

    /** The files that one of several readers takes from the queue. Opened once. */
    private record QueuedFiles(
            FileQueue queue, List<Column> columns, @Nullable RowReader first) implements RowSource {

        @Override
        public String name() {
            return "files";
        }

        @Override
        public boolean readableAgain() {
            return false;
        }

        @Override
        public RowReader open() {
            return new FilesRowReader(queue, columns, first);
        }
    }

    /** Opens {@code file}, whose columns must be {@code columns}. */
    static RowReader open(RowSource file, List<Column> columns, OpeningListener listener) {
        RowReader reader = file instanceof JsonSource json ? json.open(columns, listener) : file.open(listener);
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
}
