// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Reads files from a queue, one after the other, until the queue is empty. Other readers may take files from it, too. */
final class FilesRowReader implements RowReader {

    private final FileQueue queue;
    private final List<Column> columns;
    private final Canceller canceller = new Canceller();

    /** The open file; null before the first file and after the last. */
    private @Nullable RowReader current;

    private int index;
    private long number;

    /**
     * Creates a reader.
     *
     * @param columns the columns of all files
     * @param first the open first file; null if another reader reads the first file
     */
    FilesRowReader(FileQueue queue, List<Column> columns, @Nullable RowReader first) {
        this.queue = queue;
        this.columns = columns;
        if (first != null) {
            begin(first);
        }
    }

    private RowReader begin(RowReader file) {
        current = file;
        queue.began(file);
        canceller.use(file::cancel);
        return file;
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public boolean next(Row row) {
        row.clear(0, 0);
        for (RowReader file = currentOrNext(); file != null; file = currentOrNext()) {
            if (file.next(row)) {
                row.place(++number, queue.file(index).name());
                return true;
            }
            current = null;
            queue.ended(file);
            file.close();
        }
        return false;
    }

    private @Nullable RowReader currentOrNext() {
        if (current != null) {
            return current;
        }
        OptionalInt next = queue.take();
        if (next.isEmpty()) {
            return null;
        }
        index = next.getAsInt();
        return begin(FilesSource.open(queue.file(index), columns, canceller::use));
    }

    @Override
    public void cancel() {
        canceller.cancel();
    }

    @Override
    public OptionalDouble share() {
        return queue.share();
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
        }
    }
}
