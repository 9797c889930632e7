// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.Difference;
import io.millrace.load.target.HashRestore;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The mapping of {@link ShadowTarget}: replaces the key in each command by its shadow key. Each command of a mapping has
 * one key, at the {@linkplain CommandSpec#keyIndex index} that its definition names.
 */
final class ShadowMapping implements RowMapping {

    private final RowMapping mapping;
    private final JobKeys keys;
    private final KeyReplacement replacement = new KeyReplacement();

    ShadowMapping(RowMapping mapping, JobKeys keys) {
        this.mapping = mapping;
        this.keys = keys;
    }

    @Override
    public Optional<Rejection> prepare(Row row) {
        return mapping.prepare(row);
    }

    @Override
    public byte[] key() {
        return mapping.key();
    }

    @Override
    public int keyLength() {
        return mapping.keyLength();
    }

    @Override
    public boolean repeatedRowsAreEqual() {
        return mapping.repeatedRowsAreEqual();
    }

    @Override
    public int keyAndFieldLength() {
        return mapping.keyAndFieldLength();
    }

    @Override
    public int longestFieldOrValue() {
        return mapping.longestFieldOrValue();
    }

    @Override
    public int sharedBytes() {
        return mapping.sharedBytes();
    }

    @Override
    public CommandSpec<?> command() {
        return mapping.command();
    }

    @Override
    public CommandSpec<?> repeatedCommand() {
        return mapping.repeatedCommand();
    }

    @Override
    public Set<Fusion> fusion() {
        return mapping.fusion();
    }

    @Override
    public void write(Row row, ArgumentSink sink) {
        mapping.write(row, replacement.in(mapping.command(), sink));
    }

    @Override
    public void writeRepeated(Row row, ArgumentSink sink) {
        mapping.writeRepeated(row, replacement.in(mapping.repeatedCommand(), sink));
    }

    @Override
    public boolean leftOut(Reply reply) {
        return mapping.leftOut(reply);
    }

    /** The effect of a second write within the same load. A second load begins with new shadow keys. */
    @Override
    public Repetition repetition() {
        return mapping.repetition();
    }

    @Override
    public Optional<HashRestore> hashRestore() {
        return mapping.hashRestore().map(rows -> rows.through(sink -> replacement.in(HashRestore.RESTORE, sink)));
    }

    @Override
    public CommandSpec<?> readBack() {
        return mapping.readBack();
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        mapping.writeReadBack(row, replacement.in(mapping.readBack(), sink));
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        return mapping.matches(row, reply, age);
    }

    @Override
    public Difference difference(Row row, Reply reply, Duration age) {
        return mapping.difference(row, reply, age);
    }

    /** Passes arguments on, and replaces the key of the prepared row. */
    private final class KeyReplacement implements ArgumentSink {

        private ArgumentSink sink = this;
        /** Number of arguments before the key; negative after the key. */
        private int beforeKey;

        ArgumentSink in(CommandSpec<?> command, ArgumentSink newSink) {
            sink = newSink;
            beforeKey = command.keyIndex();
            return this;
        }

        /** Writes the shadow key if the next argument is the key. */
        private boolean isKey() {
            if (beforeKey-- != 0) {
                return false;
            }
            sink.arg(keys.shadow(mapping.key(), mapping.keyLength()));
            return true;
        }

        @Override
        public ArgumentSink arg(byte[] bytes, int offset, int length) {
            if (!isKey()) {
                sink.arg(bytes, offset, length);
            }
            return this;
        }

        @Override
        public ArgumentSink arg(byte[] bytes) {
            if (!isKey()) {
                sink.arg(bytes);
            }
            return this;
        }

        @Override
        public ArgumentSink arg(String text) {
            if (!isKey()) {
                sink.arg(text);
            }
            return this;
        }

        @Override
        public ArgumentSink arg(long number) {
            if (!isKey()) {
                sink.arg(number);
            }
            return this;
        }
    }
}
