// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.IntegerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes each row as an element of its key, for the types of {@link ElementForm}. */
final class ElementMapping implements RowMapping {

    private static final byte[] ONE_KEY = {'1'};

    /** Returns PTTL and the reply of the command ARGV[1] for the element ARGV[2]; or the error message of a command. */
    private static final byte[] READ_BACK = """
            local v=redis.pcall(ARGV[1],KEYS[1],ARGV[2])
            if type(v)=='table' and v.err then return v end
            return {redis.call('PTTL',KEYS[1]),v}
            """.getBytes(StandardCharsets.US_ASCII);

    private final ElementForm form;
    private final RowName key;
    private final RowValue element;
    private final @Nullable ScoreColumn score;
    private final RowExpiry expiry;
    private final RowCommand command;

    /** Key, element, and the length of the key in four bytes, as in {@link HashFieldMapping}. */
    private final Bytes place = new Bytes();

    private int keyLength;
    private int elementLength;

    /**
     * Creates a mapping.
     *
     * @param score column of the score; null for a type without scores
     */
    ElementMapping(ElementForm form, RowName key, RowValue element, @Nullable ScoreColumn score, RowExpiry expiry) {
        this.form = form;
        this.key = key;
        this.element = element;
        this.score = score;
        this.expiry = expiry;
        this.command = form.command(expiry.isPresent());
    }

    @Override
    public Optional<Rejection> prepare(Row row) {
        place.clear();
        Optional<Rejection> rejection = key.append(row, place);
        keyLength = place.length();
        if (rejection.isEmpty()) {
            rejection = expiry.prepare(row, place.array(), keyLength);
        }
        if (rejection.isEmpty()) {
            rejection = element.checkValue(row);
        }
        if (rejection.isEmpty() && score != null) {
            rejection = score.check(row);
        }
        if (rejection.isEmpty()) {
            element.render(row, place);
            elementLength = place.length() - keyLength;
            place.append(keyLength);
        }
        return rejection;
    }

    @Override
    public boolean repeatedRowsAreEqual() {
        return form == ElementForm.SET || form == ElementForm.BITMAP;
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
        return form.hasPlace() ? place.length() : keyLength;
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
        return form.repetition();
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
        boolean isPlain = !expiry.isPresent();
        command.begin(sink, repeated, place.array(), keyLength, expiry.millis(), form.arguments());
        if (isPlain) {
            form.beforeElement(sink);
        }
        if (score != null) {
            score.write(row, sink);
        }
        writeElement(sink);
        if (isPlain) {
            form.afterElement(sink);
        }
    }

    private void writeElement(ArgumentSink sink) {
        sink.arg(place.array(), keyLength, elementLength);
    }

    @Override
    public CommandSpec<?> readBack() {
        return Commands.EVAL;
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        sink.arg(READ_BACK).arg(ONE_KEY).arg(place.array(), 0, keyLength).arg(form.readBack());
        writeElement(sink);
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
        Expiry expected = expiry.current();
        boolean mayBeMissing = expected.mayHavePassed(age);
        if (pttl == Expiry.NO_KEY) {
            return mayBeMissing;
        }
        if (expiry.isPresent() && !expected.allows(pttl, age)) {
            return false;
        }
        // The key may have expired after this row, and a later row may have created it again without this row.
        return isMissing(items.get(1)) ? mayBeMissing : isElement(row, items.get(1));
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
        var unused = prepare(row);
        byte[] name = Arrays.copyOfRange(place.array(), keyLength, keyLength + elementLength);
        if (isMissing(items.get(1))) {
            return Difference.of(Difference.Kind.ABSENT, name, new byte[0], new byte[0]);
        }
        return score != null && !isElement(row, items.get(1))
                ? score.difference(row, name, items.get(1))
                : expiry.current().difference(pttl);
    }

    private static boolean isMissing(Reply found) {
        return found == Reply.Null.NULL || (found instanceof IntegerReply(long isPresent) && isPresent == 0);
    }

    private boolean isElement(Row row, Reply found) {
        return score == null || score.matches(row, found);
    }
}
