// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.IntegerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes each row as a string with SET. SET replaces the old value of the key, of any type and with its expiry.
 */
final class StringMapping implements RowMapping {

    private static final Set<Fusion> FUSION = Set.of(Fusion.SET, Fusion.SET_EXPIRING);
    private static final byte[] NX = {'N', 'X'};
    private static final byte[] PX = {'P', 'X'};
    private static final byte[] ONE_KEY = {'1'};
    /**
     * A Lua script that reads a string back. Returns the error message of a command unchanged, as {@link HashScripts}
     * does.
     */
    private static final byte[] READ_BACK = """
            local v=redis.pcall('GET',KEYS[1])
            if type(v)=='table' then return v end
            return {redis.call('PTTL',KEYS[1]),v}
            """.getBytes(StandardCharsets.US_ASCII);

    private final RowName key;
    private final RowValue value;
    private final RowExpiry expiry;
    private final boolean onlyMissing;
    private final Bytes keyBytes = new Bytes();
    private final Bytes valueBytes = new Bytes();

    StringMapping(Target target, RowValue value, ColumnNames names) {
        this.key = RowName.key(target, names);
        this.value = value;
        this.expiry = RowExpiry.of(target, names);
        this.onlyMissing = target.options().onlyMissing();
    }

    @Override
    public Optional<Rejection> prepare(Row row) {
        keyBytes.clear();
        Optional<Rejection> rejection = key.append(row, keyBytes);
        if (rejection.isEmpty()) {
            rejection = expiry.prepare(row, keyBytes.array(), keyBytes.length());
        }
        return rejection.isPresent() ? rejection : value.checkValue(row);
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
        return Commands.SET;
    }

    @Override
    public Set<Fusion> fusion() {
        // SET NX has no fused form. MSETNX writes nothing if one of its keys exists.
        return onlyMissing || expiry.differs() ? Fusion.NONE : FUSION;
    }

    @Override
    public void write(Row row, ArgumentSink sink) {
        valueBytes.clear();
        value.render(row, valueBytes);
        sink.arg(keyBytes.array(), 0, keyBytes.length()).arg(valueBytes.array(), 0, valueBytes.length());
        if (onlyMissing) {
            sink.arg(NX);
        }
        if (expiry.isPresent()) {
            sink.arg(PX).arg(expiry.millis());
        }
    }

    @Override
    public Repetition repetition() {
        return onlyMissing ? Repetition.LEAVES_ROW_OUT : Repetition.CHANGES_NOTHING;
    }

    @Override
    public boolean leftOut(Reply reply) {
        return onlyMissing && reply == Reply.Null.NULL;
    }

    @Override
    public CommandSpec<?> readBack() {
        return Commands.EVAL;
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        sink.arg(READ_BACK).arg(ONE_KEY).arg(keyBytes.array(), 0, keyBytes.length());
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        if (!(reply instanceof ArrayReply(List<Reply> items))
                || items.size() != 2
                || !(items.get(0) instanceof IntegerReply(long pttl))) {
            return false;
        }
        if (expiry.differs()) {
            var unused = prepare(row);
        }
        if (pttl == Expiry.NO_KEY) {
            return expiry.current().mayHavePassed(age);
        }
        if (!expiry.current().allows(pttl, age) || !(items.get(1) instanceof BulkString(byte[] found))) {
            return false;
        }
        valueBytes.clear();
        value.render(row, valueBytes);
        return valueBytes.contentEquals(found);
    }

    @Override
    public Difference difference(Row row, Reply reply, Duration age) {
        if (!(reply instanceof ArrayReply(List<Reply> items))
                || items.size() != 2
                || !(items.get(0) instanceof IntegerReply(long pttl))) {
            return Difference.of(Difference.Kind.TYPE);
        }
        if (pttl == Expiry.NO_KEY) {
            return Difference.of(Difference.Kind.ABSENT);
        }
        if (!(items.get(1) instanceof BulkString(byte[] found))) {
            return Difference.of(Difference.Kind.TYPE);
        }
        valueBytes.clear();
        value.render(row, valueBytes);
        return valueBytes.contentEquals(found)
                ? expiry.current().difference(pttl)
                : Difference.of(Difference.Kind.VALUE, new byte[0], valueBytes.copy(), found);
    }
}
