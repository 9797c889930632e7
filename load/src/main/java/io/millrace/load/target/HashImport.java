// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Writes the rows of a mapping as arguments of {@code HIMPORT}. A connection sends the field names once with this
 * command, and then only values.
 *
 * <pre>
 *   HIMPORT PREPARE 0 id name city      once, for rows that have all three
 *   HIMPORT PREPARE 1 id name           once, for rows whose city is NULL
 *   HIMPORT SET c:1 0 1 Ada Paris
 *   HIMPORT SET c:2 1 2 Bob
 * </pre>
 *
 * <p>This class relies on the following behaviour of Redis 8.10. The redis.io pages of {@code HIMPORT PREPARE} and
 * {@code HIMPORT SET} say that a field set belongs to its connection, and that SET overwrites the key with exactly
 * these fields, or returns an error if there is no such field set. The tests of the server ({@code
 * tests/unit/type/hash-templates.tcl}) show that a key of another type is refused ({@code WRONGTYPE}) and stays
 * unchanged, and that a replica gets the new hash as {@code RESTORE key 0 … REPLACE}. It follows that SET removes the
 * expiry of the key, but no source states this. None of this was tested on a server of that version.
 *
 * <p>Confined to the thread of its mapping, shares the buffers of the mapping, and never blocks.
 */
public final class HashImport {

    /** {@code HIMPORT PREPARE name field …}; the reply is {@code OK}. */
    public static final CommandSpec<Reply> PREPARE =
            CommandSpec.of("HIMPORT PREPARE", Replies::raw).withoutKey();

    /** {@code HIMPORT SET key name value …}; the reply is {@code OK}. */
    public static final CommandSpec<Reply> SET = CommandSpec.of("HIMPORT SET", Replies::raw);

    /** The field set number of a row that is not imported. */
    public static final int NONE = -1;

    /**
     * Maximum number of field sets, enough for four columns that are NULL in any combination. The server keeps a field
     * set for each connection, and permanently once a key is written with it.
     */
    static final int MAX_FIELD_SETS = 16;

    private final Bytes key;
    private final SelectedColumns columns;
    private final byte[][] fieldNames;
    private final List<BitSet> fieldSets = new ArrayList<>();
    private final BitSet written = new BitSet();

    /**
     * Creates the writer of imports.
     *
     * @param key key of the row that was prepared last
     * @param fieldNames field names of {@code columns}, in the same order
     */
    HashImport(Bytes key, SelectedColumns columns, byte[][] fieldNames) {
        this.key = key;
        this.columns = columns;
        this.fieldNames = fieldNames;
    }

    /**
     * The number of the field set of {@code row}, 0 to 15. Numbers are assigned in the order in which field sets first
     * occur. The result is {@link #NONE} if the field set is new and all numbers are assigned.
     */
    public int fieldSet(Row row) {
        written.clear();
        for (int i = 0; i < fieldNames.length; i++) {
            written.set(i, columns.isWritten(row, columns.column(i)));
        }
        int known = fieldSets.indexOf(written);
        if (known >= 0 || fieldSets.size() == MAX_FIELD_SETS) {
            return known;
        }
        fieldSets.add((BitSet) written.clone());
        return fieldSets.size() - 1;
    }

    /** Writes the arguments of {@link #PREPARE} to {@code sink}. */
    public void writeFieldSet(int fieldSet, ArgumentSink sink) {
        sink.arg(fieldSet);
        fieldSets.get(fieldSet).stream().forEach(i -> sink.arg(fieldNames[i]));
    }

    /** Writes the arguments of {@link #SET} for the prepared row, which has the given field set, to {@code sink}. */
    public void write(Row row, int fieldSet, ArgumentSink sink) {
        sink.arg(key.array(), 0, key.length()).arg(fieldSet);
        for (int i = 0; i < fieldNames.length; i++) {
            columns.writeValue(row, columns.column(i), sink);
        }
    }
}
