// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.IntegerReply;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes each row as a hash with one field per written column. */
final class HashMapping implements RowMapping {

    private final RowName key;
    private final SelectedColumns columns;
    private final byte[][] fieldNames;
    private final HashWriter write;
    private final RowExpiry expiry;
    private final boolean onlyMissing;
    private final Bytes keyBytes = new Bytes();
    private final Optional<HashImport> hashImport;
    private final Optional<HashRestore> hashRestore;

    HashMapping(HashTarget target, ColumnNames names) {
        key = RowName.key(target, names);
        columns = new SelectedColumns(target, target.columns(), names);
        fieldNames = new byte[columns.size()][];
        for (int i = 0; i < fieldNames.length; i++) {
            fieldNames[i] = names.nameBytes(columns.column(i));
        }
        expiry = RowExpiry.of(target, names);
        onlyMissing = target.options().onlyMissing();
        write = HashWriter.ofRows(target, expiry);
        // HIMPORT sets no expiry, and a separate command for the expiry could fail after the write.
        boolean imports = target.replaceRow() && !expiry.isPresent();
        hashImport = imports ? Optional.of(new HashImport(keyBytes, columns, fieldNames)) : Optional.empty();
        // Without a script, HSET costs about as little as RESTORE, and needs no retry for an existing key.
        hashRestore = write.isScripted()
                ? Optional.of(new HashRestore(keyBytes, columns, fieldNames, expiry, target))
                : Optional.empty();
    }

    @Override
    public Optional<Rejection> prepare(Row row) {
        keyBytes.clear();
        Optional<Rejection> rejection = key.append(row, keyBytes);
        if (rejection.isEmpty()) {
            rejection = expiry.prepare(row, keyBytes.array(), keyBytes.length());
        }
        return rejection.isPresent() ? rejection : columns.checkValue(row);
    }

    @Override
    public byte[] key() {
        return keyBytes.array();
    }

    @Override
    public int keyLength() {
        return keyBytes.length();
    }

    @Override
    public CommandSpec<?> command() {
        return write.command().first();
    }

    @Override
    public CommandSpec<?> repeatedCommand() {
        return write.command().repeated();
    }

    @Override
    public Set<Fusion> fusion() {
        return write.command().fusion();
    }

    @Override
    public void write(Row row, ArgumentSink sink) {
        write(row, sink, false);
    }

    @Override
    public void writeRepeated(Row row, ArgumentSink sink) {
        write(row, sink, true);
    }

    private void write(Row row, ArgumentSink sink, boolean repeated) {
        // Only a script needs the number of fields.
        int fields = write.isScripted() ? columns.count(row) : 0;
        write.begin(sink, repeated, keyBytes.array(), keyBytes.length(), fields);
        for (int i = 0; i < fieldNames.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column)) {
                columns.writeValue(row, column, sink.arg(fieldNames[i]));
            }
        }
    }

    @Override
    public Repetition repetition() {
        return onlyMissing ? Repetition.LEAVES_ROW_OUT : Repetition.CHANGES_NOTHING;
    }

    @Override
    public boolean leftOut(Reply reply) {
        return onlyMissing && reply instanceof IntegerReply(long written) && written == 0;
    }

    @Override
    public Optional<HashImport> hashImport() {
        return hashImport;
    }

    @Override
    public Optional<HashRestore> hashRestore() {
        return hashRestore;
    }

    @Override
    public CommandSpec<?> readBack() {
        return write.readBack();
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        write.beginReadBack(sink, keyBytes.array(), keyBytes.length());
        for (int i = 0; i < fieldNames.length; i++) {
            if (columns.isWritten(row, columns.column(i))) {
                sink.arg(fieldNames[i]);
            }
        }
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        if (expiry.differs()) {
            var unused = prepare(row);
        }
        if (write.hasExpired(reply, age)) {
            return true;
        }
        List<Reply> values = write.values(reply, columns.count(row), age);
        if (values.isEmpty()) {
            return false;
        }
        int next = 0;
        for (int i = 0; i < fieldNames.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column) && !isValue(row, column, values.get(next++))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Difference difference(Row row, Reply reply, Duration age) {
        int count = columns.count(row);
        List<Reply> values = write.values(reply, count, age);
        if (values.isEmpty() || values.stream().allMatch(Reply.Null.NULL::equals)) {
            return write.difference(reply, count, age).orElseGet(() -> Difference.of(Difference.Kind.ABSENT));
        }
        int next = 0;
        for (int i = 0; i < fieldNames.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column)) {
                Reply found = values.get(next++);
                if (!isValue(row, column, found)) {
                    return valueDifference(row, i, column, found);
                }
            }
        }
        return Difference.of(Difference.Kind.VALUE);
    }

    private Difference valueDifference(Row row, int field, int column, Reply reply) {
        int start = row.start(column);
        byte[] expected = row.isNull(column)
                ? columns.nullText()
                : Arrays.copyOfRange(row.bytes(), start, start + row.length(column));
        return reply instanceof BulkString(byte[] found)
                ? Difference.of(Difference.Kind.VALUE, fieldNames[field], expected, found)
                : Difference.of(Difference.Kind.ABSENT, fieldNames[field], expected, new byte[0]);
    }

    private boolean isValue(Row row, int column, Reply reply) {
        if (!(reply instanceof BulkString(byte[] found))) {
            return false;
        }
        int start = row.start(column);
        return row.isNull(column)
                ? Arrays.equals(found, columns.nullText())
                : Arrays.equals(found, 0, found.length, row.bytes(), start, start + row.length(column));
    }
}
