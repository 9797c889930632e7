// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Streams;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Writes each row as an entry of a stream, with one field per written column. The server chooses the id of the entry. */
final class StreamMapping implements RowMapping {

    private static final byte[] NEXT_ID = {'*'};

    /** Lua can pass about 8,000 arguments to a command. Each column has two. */
    private static final int MAX_COLUMNS_OF_SCRIPT = 3_900;

    /** Each row has a separate group, because each entry is a command. */
    private static final RowScript SCRIPT = RowScript.separate("""
            local e=redis.pcall('XADD',k,'*',unpack(ARGV,from,to))
            if bad(e) then return fail(e) end
            """);

    private final RowName key;
    private final SelectedColumns columns;
    private final byte[][] fieldNames;
    private final RowExpiry expiry;
    private final RowCommand command;
    private final Bytes keyBytes = new Bytes();
    /** Number of bytes of the field names of the last row that was written. */
    private int nameBytes;

    StreamMapping(StreamTarget target, ColumnNames names) {
        key = RowName.sharedKey(target, names);
        columns = new SelectedColumns(target, target.columns(), names);
        fieldNames = new byte[columns.size()][];
        for (int i = 0; i < fieldNames.length; i++) {
            fieldNames[i] = names.nameBytes(columns.column(i));
        }
        expiry = RowExpiry.of(target, names);
        if (expiry.isPresent() && fieldNames.length > MAX_COLUMNS_OF_SCRIPT) {
            throw new PlanException("an entry with an expiry has too many columns: key="
                    + target.options().key() + ", columns=" + fieldNames.length + ", maximum=" + MAX_COLUMNS_OF_SCRIPT
                    + ". Load fewer columns, or load without an expiry.");
        }
        command =
                expiry.isPresent() ? new RowCommand.Scripted(SCRIPT) : new RowCommand.Plain(Streams.XADD, Fusion.NONE);
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
        return command.first();
    }

    @Override
    public CommandSpec<?> repeatedCommand() {
        return command.repeated();
    }

    @Override
    public Set<Fusion> fusion() {
        return command.fusion();
    }

    @Override
    public Repetition repetition() {
        return Repetition.ADDS_ROW_AGAIN;
    }

    /** A node of a stream has the field names of its first entry once. */
    @Override
    public int sharedBytes() {
        return nameBytes;
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
        command.begin(sink, repeated, keyBytes.array(), keyBytes.length(), expiry.millis(), 2 * columns.count(row));
        if (!expiry.isPresent()) {
            sink.arg(NEXT_ID);
        }
        nameBytes = 0;
        for (int i = 0; i < fieldNames.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column)) {
                nameBytes += fieldNames[i].length;
                columns.writeValue(row, column, sink.arg(fieldNames[i]));
            }
        }
    }

    @Override
    public CommandSpec<?> readBack() {
        throw new IllegalStateException("rows of a stream cannot be read back");
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        throw new IllegalStateException("rows of a stream cannot be read back");
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        return false;
    }
}
