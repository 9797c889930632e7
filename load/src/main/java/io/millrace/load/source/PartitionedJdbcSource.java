// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.KeyRanges.Bounds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table or a query that is read with several connections at once, each with a range of a column with whole numbers.
 * With PostgreSQL, all connections see the same state of the database. With other databases, each connection sees the
 * state at its start.
 */
final class PartitionedJdbcSource implements RowSource {

    private static final int MAX_IN_MESSAGE = 8;

    private final JdbcSource source;
    private final String column;
    /** The values that the user named; empty if the database is asked. */
    private final Optional<Bounds> bounds;

    private final int readers;

    PartitionedJdbcSource(JdbcSource source, String column, Optional<Bounds> bounds, int readers) {
        this.source = source;
        this.column = column;
        this.bounds = bounds;
        this.readers = readers;
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    @Override
    public Map<String, String> identity() {
        return source.identity();
    }

    /** The order between the ranges depends on their speed. */
    @Override
    public RowOrder order() {
        return readers == 1 ? RowOrder.AS_READ : RowOrder.NONE;
    }

    /** The rows, and not the number of readers. */
    @Override
    public String toString() {
        return "PartitionedJdbcSource[source=" + source + ", column=" + column + "]";
    }

    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /**
     * Reads the smallest and the largest value of the column, and starts the queries of the ranges. Blocks until the
     * database has answered all of them.
     */
    @Override
    public RowReader open(OpeningListener listener) {
        ReadTransaction transaction = source.begin();
        JdbcCursor cursor = new JdbcCursor(transaction, 1);
        listener.opening(cursor::cancel);
        try {
            JdbcSource.Relation relation = source.select(cursor, transaction, " WHERE 1 = 0");
            String quoted = quotedColumn(cursor.rows().getMetaData(), transaction);
            cursor.end();
            Optional<String> snapshot = transaction.restartForExport();
            Optional<Bounds> known = bounds.isPresent() ? bounds : ask(cursor, transaction, relation, quoted);
            List<String> conditions =
                    known.isPresent() ? KeyRanges.conditions(quoted, known.get(), readers) : List.of("1 = 1");
            List<JdbcSource> parts = conditions.stream()
                    .map(condition -> source.part(relation, condition, snapshot))
                    .toList();
            return ParallelRowReader.open(source.name(), parts, relation.size(), listener);
        } catch (SQLException e) {
            throw transaction.errors().querying("the column '" + column + "'", e);
        } finally {
            // The parts have opened their own connections, and with them the snapshot.
            cursor.close();
        }
    }

    /** Asks the database for the smallest and the largest value; empty if there is none. */
    private Optional<Bounds> ask(
            JdbcCursor cursor, ReadTransaction transaction, JdbcSource.Relation relation, String quoted)
            throws SQLException {
        cursor.runInstead("SELECT MIN(" + quoted + "), MAX(" + quoted + ") FROM " + relation.sql());
        ResultSet answer = cursor.rows();
        cursor.next();
        Object smallest = answer.getObject(1);
        Object largest = answer.getObject(2);
        cursor.end();
        return smallest == null || largest == null
                ? Optional.empty()
                : Optional.of(new Bounds(wholeNumber(smallest, transaction), wholeNumber(largest, transaction)));
    }

    private BigInteger wholeNumber(Object value, ReadTransaction transaction) {
        return switch (value) {
            case BigInteger big -> big;
            case BigDecimal decimal when decimal.scale() <= 0 -> decimal.toBigInteger();
            case Long ignored -> BigInteger.valueOf((Long) value);
            case Integer ignored -> BigInteger.valueOf((Integer) value);
            case Short ignored -> BigInteger.valueOf((Short) value);
            case Byte ignored -> BigInteger.valueOf((Byte) value);
            default ->
                throw transaction
                        .errors()
                        .unusable("the column '%s' of %s has no whole numbers: type=%s. Partition by another column."
                                .formatted(
                                        column, source.name(), value.getClass().getSimpleName()));
        };
    }

    /** The quoted name of the column. Its letter case is that of the database. */
    private String quotedColumn(ResultSetMetaData meta, ReadTransaction transaction) throws SQLException {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= meta.getColumnCount(); i++) {
            String label = meta.getColumnLabel(i);
            names.add(label);
            if (label.equalsIgnoreCase(column)) {
                return TableFinder.quoted(transaction.connection(), label);
            }
        }
        throw transaction
                .errors()
                .unusable("%s has no column '%s' to partition by; there are: %s%s."
                        .formatted(
                                source.name(),
                                column,
                                String.join(", ", names.subList(0, Math.min(MAX_IN_MESSAGE, names.size()))),
                                names.size() > MAX_IN_MESSAGE ? " and more" : ""));
    }
}
