// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/** Reads rows from the records of a running query. */
final class JdbcRowReader implements RowReader {

    private final JdbcCursor cursor;
    private final ResultSet records;
    private final JdbcErrors errors;
    private final List<Column> columns;
    private final ColumnReader[] readers;
    private final TableSize size;
    private final AtomicLong delivered = new AtomicLong();
    private long number;

    private JdbcRowReader(
            JdbcCursor cursor, JdbcErrors errors, List<Column> columns, ColumnReader[] readers, TableSize size) {
        this.cursor = cursor;
        this.records = cursor.rows();
        this.errors = errors;
        this.columns = columns;
        this.readers = readers;
        this.size = size;
    }

    static JdbcRowReader over(JdbcCursor cursor, ReadTransaction transaction, String name, TableSize size)
            throws SQLException {
        ResultSetMetaData meta = cursor.rows().getMetaData();
        ColumnReader[] readers = new ColumnReader[meta.getColumnCount()];
        List<String> names = new ArrayList<>();
        for (int i = 0; i < readers.length; i++) {
            names.add(meta.getColumnLabel(i + 1));
            readers[i] = transaction.dialect().reader(meta, i + 1);
        }
        return new JdbcRowReader(cursor, transaction.errors(), Columns.named(name, names), readers, size);
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public boolean next(Row row) {
        row.clear(0, 0);
        try {
            if (!cursor.next()) {
                return false;
            }
        } catch (SQLException | RuntimeException e) {
            throw errors.reading(number, e);
        }
        row.clear(++number, 0);
        for (int i = 0; i < readers.length; i++) {
            try {
                readers[i].read(records, i + 1, row);
            } catch (SQLException | RuntimeException e) {
                unreadable(row, i, e);
            }
        }
        delivered.lazySet(number);
        return true;
    }

    /**
     * Rejects the row because of an unreadable value, or throws if the query has ended. The values of the readable
     * columns stay in the row, for the rejects file.
     */
    private void unreadable(Row row, int column, Exception e) {
        if (hasEnded(e)) {
            throw errors.reading(number - 1, e);
        }
        row.truncateOpen(0);
        row.markOpenIncorrect();
        row.addNull();
        if (!row.isRejected()) {
            row.reject(
                    Reason.UNREADABLE_VALUE,
                    "'%s' cannot be read (%s)".formatted(columns.get(column).name(), errors.text(e)));
        }
    }

    private boolean hasEnded(Exception e) {
        try {
            return cursor.isCancelled()
                    || cursor.isClosed()
                    || (e instanceof SQLException sql && JdbcErrors.isConnectionLost(sql));
        } catch (SQLException closed) {
            return true;
        }
    }

    @Override
    public OptionalLong expectedRows() {
        return size.exact();
    }

    @Override
    public OptionalDouble share() {
        return size.share(delivered.get());
    }

    @Override
    public void cancel() {
        cursor.cancel();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
