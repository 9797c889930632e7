// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ErrorReply;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * Writes the rows of a mapping as arguments of {@code RESTORE}. This command creates a key with its value and its
 * expiry in one step, for the server at about the cost of {@code HSET}. A script costs much more.
 *
 * <pre>
 *   RESTORE c:1 3600000 dump            creates the key, or fails with BUSYKEY if a key of any type exists
 *   RESTORE c:1 3600000 dump REPLACE    replaces a key of any type and its expiry
 * </pre>
 *
 * <p>The server converts a hash of many fields to its other form, but keeps long values in the compact form. So only
 * rows within the limits of the server are restored.
 *
 * <p>Confined to the thread of its mapping, uses the key and the expiry of the prepared row, and never blocks.
 */
public final class HashRestore {

    /** {@code RESTORE key milliseconds dump [REPLACE]}; the reply is {@code OK}. */
    public static final CommandSpec<Reply> RESTORE = CommandSpec.of("RESTORE", Replies::raw);

    /** The code of the error for a key that exists. */
    private static final String KEY_EXISTS = "BUSYKEY";

    private static final byte[] REPLACE = "REPLACE".getBytes(StandardCharsets.US_ASCII);

    private final Bytes key;
    private final SelectedColumns columns;
    private final byte[][] fieldNames;
    private final byte[][] fieldElements;
    private final RowExpiry expiry;
    private final boolean replaces;
    private final boolean onlyMissing;
    private final HashDump dump;
    private final UnaryOperator<ArgumentSink> sinks;

    private HashRestore(HashRestore other, UnaryOperator<ArgumentSink> sinks) {
        this.key = other.key;
        this.columns = other.columns;
        this.fieldNames = other.fieldNames;
        this.fieldElements = other.fieldElements;
        this.expiry = other.expiry;
        this.replaces = other.replaces;
        this.onlyMissing = other.onlyMissing;
        this.dump = other.dump;
        this.sinks = sinks;
    }

    /**
     * Creates the writer.
     *
     * @param key key of the row that was prepared last
     * @param fieldNames field names of {@code columns}, in the same order
     * @param expiry expiry of the row that was prepared last
     */
    HashRestore(Bytes key, SelectedColumns columns, byte[][] fieldNames, RowExpiry expiry, HashTarget target) {
        this.key = key;
        this.columns = columns;
        this.fieldNames = fieldNames;
        this.expiry = expiry;
        this.replaces = target.replaceRow();
        this.onlyMissing = target.options().onlyMissing();
        this.fieldElements = new byte[fieldNames.length][];
        for (int i = 0; i < fieldNames.length; i++) {
            fieldElements[i] = HashDump.element(fieldNames[i]);
        }
        this.dump = new HashDump();
        this.sinks = UnaryOperator.identity();
    }

    /**
     * A writer of the same rows whose arguments pass through another sink, for example because the keys differ. Both
     * writers share their buffers.
     *
     * @param added receives the sink of each {@link #write} and returns the sink that receives the arguments
     */
    public HashRestore through(UnaryOperator<ArgumentSink> added) {
        return new HashRestore(this, added);
    }

    /**
     * Encodes {@code row}, for {@link #write}.
     *
     * @param maxFields maximum number of fields
     * @param maxBytes maximum length of a field or a value
     * @return false if the row is not within these limits, or has more than about 64 KiB
     */
    public boolean encode(Row row, long maxFields, long maxBytes) {
        dump.clear();
        long fields = 0;
        for (int i = 0; i < fieldNames.length; i++) {
            int column = columns.column(i);
            if (!columns.isWritten(row, column)) {
                continue;
            }
            fields++;
            if (fields > maxFields || fieldNames[i].length > maxBytes || !encode(row, i, column, maxBytes)) {
                return false;
            }
        }
        dump.complete();
        return true;
    }

    private boolean encode(Row row, int field, int column, long maxBytes) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int length = row.length(column);
        if (row.isNull(column)) {
            bytes = columns.nullText();
            start = 0;
            length = bytes.length;
        }
        return length <= maxBytes && dump.addElement(fieldElements[field]) && dump.add(bytes, start, length);
    }

    /** Writes the arguments of {@link #RESTORE} for the row that was prepared and encoded last to {@code sink}. */
    public void write(ArgumentSink sink) {
        ArgumentSink out = sinks.apply(sink);
        out.arg(key.array(), 0, key.length()).arg(expiry.millis()).arg(dump.bytes(), dump.start(), dump.length());
        if (replaces) {
            out.arg(REPLACE);
        }
    }

    /** Whether {@code error} says that the row was left out, because its key exists and only missing rows are written. */
    public boolean isLeftOut(ErrorReply error) {
        return onlyMissing && error.code().equals(KEY_EXISTS);
    }
}
