// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Reads the rows of one partition. Confined to the thread of the task, except {@link #cancel}. */
final class IteratorReader implements RowReader {

    private final List<Column> columns;
    private final Iterator<InternalRow> rows;
    private final RowFiller filler;
    private final RowSample sample;
    private long number;

    /** The exception of the iterator. The task throws this exception again, because Spark chooses its reaction by the type. */
    private @Nullable Throwable failure;

    private volatile boolean cancelled;

    IteratorReader(List<Column> columns, Iterator<InternalRow> rows, RowFiller filler, RowSample sample) {
        this.columns = columns;
        this.rows = rows;
        this.filler = filler;
        this.sample = sample;
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public boolean next(Row row) {
        if (cancelled) {
            throw new SourceException(SourceException.Kind.BROKEN, "the task was cancelled");
        }
        row.clear(0, 0);
        InternalRow from = nextOrNull();
        if (from == null) {
            return false;
        }
        row.clear(++number, 0);
        filler.fill(from, row);
        sample.add(from, row);
        return true;
    }

    private @Nullable InternalRow nextOrNull() {
        try {
            return rows.hasNext() ? rows.next() : null;
        } catch (Throwable thrown) {
            failure = thrown;
            throw new SourceException(
                    SourceException.Kind.BROKEN, "the rows of the partition cannot be read: " + thrown, thrown);
        }
    }

    /** The exception that the iterator has thrown. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    @Override
    public void close() {}
}
