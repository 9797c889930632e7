// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;

/**
 * A mapping whose commands read the rows of another mapping back, so that read-backs are sent and repeated like rows that
 * are written. Confined to the thread of the other mapping.
 */
record ReadBackMapping(RowMapping written) implements RowMapping {

    @Override
    public Optional<Rejection> prepare(Row row) {
        return written.prepare(row);
    }

    @Override
    public byte[] key() {
        return written.key();
    }

    @Override
    public int keyLength() {
        return written.keyLength();
    }

    @Override
    public boolean repeatedRowsAreEqual() {
        return written.repeatedRowsAreEqual();
    }

    @Override
    public int keyAndFieldLength() {
        return written.keyAndFieldLength();
    }

    @Override
    public CommandSpec<?> command() {
        return written.readBack();
    }

    @Override
    public void write(Row row, ArgumentSink sink) {
        written.writeReadBack(row, sink);
    }

    @Override
    public CommandSpec<?> readBack() {
        return written.readBack();
    }

    @Override
    public void writeReadBack(Row row, ArgumentSink sink) {
        written.writeReadBack(row, sink);
    }

    @Override
    public boolean matches(Row row, Reply reply, Duration age) {
        return written.matches(row, reply, age);
    }
}
