// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes each row as one field of a hash that the row shares with other rows. */
final class HashFieldMapping implements RowMapping {

    private static final List<Reply> NO_FIELD = List.of(Reply.Null.NULL);

    private final FieldLocator where;
    private final RowValue value;
    private final HashWriter write;
    private final RowExpiry expiry;

    /**
     * Key, field name, and the length of the key in four bytes, so that {@code a}+{@code bc} and {@code ab}+{@code c}
     * differ.
     */
    private final Bytes place = new Bytes();

    private final Bytes valueBytes = new Bytes();
    private int keyLength;
    private int fieldLength;

    HashFieldMapping(FieldLocator where, RowValue value, RowExpiry expiry) {
        this.where = where;
        this.value = value;
        this.expiry = expiry;
        this.write = HashWriter.ofFields(expiry);
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
        rejection = expiry.prepare(row, place.array(), keyLength);
        return rejection.isPresent() ? rejection : value.checkValue(row);
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
    public int keyAndFieldLength() {
        return place.length();
    }

    @Override
    public int longestFieldOrValue() {
        return Math.max(fieldLength, valueBytes.length());
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
        valueBytes.clear();
        value.render(row, valueBytes);
        write.begin(sink, repeated, place.array(), keyLength, 1);
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
        if (expiry.differs()) {
            var unused = prepare(row);
        }
        if (write.hasExpired(reply, age)) {
            return true;
        }
        List<Reply> values = write.values(reply, 1, age);
        if (values.equals(NO_FIELD) && write.mayHaveExpired(age)) {
            // The hash may have expired after this row, and a later row may have created it again.
            return true;
        }
        if (values.isEmpty() || !(values.getFirst() instanceof BulkString(byte[] found))) {
            return false;
        }
        valueBytes.clear();
        value.render(row, valueBytes);
        return valueBytes.contentEquals(found);
    }

    @Override
    public Difference difference(Row row, Reply reply, Duration age) {
        Optional<Difference> ofKey = write.difference(reply, 1, age);
        if (ofKey.isPresent()) {
            return ofKey.get();
        }
        Optional<Rejection> ignored = prepare(row);
        byte[] field = ignored.isPresent()
                ? new byte[0]
                : Arrays.copyOfRange(place.array(), keyLength, keyLength + fieldLength);
        valueBytes.clear();
        value.render(row, valueBytes);
        List<Reply> values = write.values(reply, 1, age);
        return !values.isEmpty() && values.getFirst() instanceof BulkString(byte[] found)
                ? Difference.of(Difference.Kind.VALUE, field, valueBytes.copy(), found)
                : Difference.of(Difference.Kind.ABSENT, field, valueBytes.copy(), new byte[0]);
    }
}
