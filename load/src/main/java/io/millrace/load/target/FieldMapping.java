// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.client.Fusion;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Each row is one field of a hash that it shares with other rows. */
final class FieldMapping implements RowMapping {

    private static final List<Reply> NO_FIELD = List.of(Reply.Null.NULL);

    private final HashPlace where;
    private final RowValue value;
    private final HashWrite write;

    /** Key, field name, and the key's length in four bytes, which keeps {@code a}+{@code bc} apart from {@code ab}+{@code c}. */
    private final Bytes place = new Bytes();

    private final Bytes valueBytes = new Bytes();
    private int keyLength;
    private int fieldLength;

    /** Rows of {@code target}, each written to the place that {@code where} tells. */
    FieldMapping(Target target, HashPlace where, ColumnNames names) {
        this.where = where;
        if (target.value().isPresent()) {
            value = new TemplateValue(target.value().get(), target.nullText(), names);
        } else {
            value = new JsonDocument(new WrittenColumns(target, names), names);
        }
        write = new HashWrite(target);
    }

    @Override
    public Optional<Rejection> prepare(Row row) {
        place.clear();
        Optional<Rejection> rejection = where.append(row, place);
        keyLength = where.keyLength();
        if (rejection.isPresent()) {
            return rejection;
        }
        fieldLength = place.length() - keyLength;
        place.append(keyLength);
        return value.absence(row);
    }

    @Override
    public byte[] key() {
        return place.array();
    }

    @Override
    public int keyLength() {
        return keyLength;
    }

    @Override
    public int placeLength() {
        return place.length();
    }

    @Override
    public int longestPart() {
        return Math.max(fieldLength, valueBytes.length());
    }

    @Override
    public CommandSpec<?> command() {
        return write.command();
    }

    @Override
    public Set<Fusion> fusion() {
        return write.fusion();
    }

    @Override
    public void write(Row row, ArgumentSink sink) {
        valueBytes.clear();
        value.render(row, valueBytes);
        write.begin(sink, place.array(), keyLength);
        sink.arg(place.array(), keyLength, fieldLength).arg(valueBytes.array(), 0, valueBytes.length());
    }

    @Override
    public CommandSpec<?> readBack() {
        return write.readBack();
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        write.beginReadBack(sink, place.array(), keyLength);
        sink.arg(place.array(), keyLength, fieldLength);
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        if (write.hasExpired(reply, age)) {
            return true;
        }
        List<Reply> values = write.values(reply, 1, age);
        if (values.equals(NO_FIELD) && write.mayHaveExpired(age)) {
            // The hash may have expired after this row and been begun anew by a later one.
            return true;
        }
        if (values.isEmpty() || !(values.getFirst() instanceof BulkString(byte[] found))) {
            return false;
        }
        valueBytes.clear();
        value.render(row, valueBytes);
        return valueBytes.contentEquals(found);
    }
}
