// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.client.Replies;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The rows of a mapping as arguments of {@code HIMPORT}, which takes the names of fields once for a connection and then only
 * values.
 *
 * <pre>
 *   HIMPORT PREPARE 0 id name city      once, for rows that have all three
 *   HIMPORT PREPARE 1 id name           once, for rows whose city is NULL
 *   HIMPORT SET c:1 0 1 Ada Paris
 *   HIMPORT SET c:2 1 2 Bob
 * </pre>
 *
 * <p>What is relied on of Redis 8.10, and by what authority. By the pages of {@code HIMPORT PREPARE} and {@code HIMPORT SET} on
 * redis.io: a field set belongs to its connection, and SET overwrites the key with exactly its fields, or answers an error if
 * there is no such field set. By the server's own tests ({@code tests/unit/type/hash-templates.tcl}): a key of another type is
 * refused ({@code WRONGTYPE}) and stays, and a replica is sent the new hash as {@code RESTORE key 0 … REPLACE}. From this, and
 * from what others built to its likeness, follows that an expiry the key had is gone; in so many words it is said nowhere.
 * None of it was tried on a server of that version.
 *
 * <p>Belongs to the thread of its mapping, shares its scratch space, and never blocks.
 */
public final class HashImport {

    /** {@code HIMPORT PREPARE name field …}: answers {@code OK}. */
    public static final CommandSpec<Reply> PREPARE =
            CommandSpec.of("HIMPORT PREPARE", Replies::raw).withoutKey();

    /** {@code HIMPORT SET key name value …}: answers {@code OK}. */
    public static final CommandSpec<Reply> SET = CommandSpec.of("HIMPORT SET", Replies::raw);

    /** The field set of rows that are not imported. */
    public static final int NONE = -1;

    /**
     * Enough for four columns that may be NULL in any combination. The server keeps each for every connection, and for good
     * if a key is written with it.
     */
    static final int MOST_FIELD_SETS = 16;

    private final Bytes key;
    private final WrittenColumns columns;
    private final byte[][] fieldNames;
    private final List<BitSet> fieldSets = new ArrayList<>();
    private final BitSet written = new BitSet();

    /**
     * Imports of hashes.
     *
     * @param key of the row that was prepared last
     * @param fieldNames of {@code columns}, in their order
     */
    HashImport(Bytes key, WrittenColumns columns, byte[][] fieldNames) {
        this.key = key;
        this.columns = columns;
        this.fieldNames = fieldNames;
    }

    /**
     * Which field set {@code row} has: from 0 to 15, in the order in which they are first seen; {@link #NONE} if there are too
     * many by then.
     */
    public int fieldSet(Row row) {
        written.clear();
        for (int i = 0; i < fieldNames.length; i++) {
            written.set(i, columns.isWritten(row, columns.column(i)));
        }
        int known = fieldSets.indexOf(written);
        if (known >= 0 || fieldSets.size() == MOST_FIELD_SETS) {
            return known;
        }
        fieldSets.add((BitSet) written.clone());
        return fieldSets.size() - 1;
    }

    /** Gives the arguments of {@link #PREPARE} to {@code sink}. */
    public void writeFieldSet(int fieldSet, ArgumentSink sink) {
        sink.arg(fieldSet);
        fieldSets.get(fieldSet).stream().forEach(i -> sink.arg(fieldNames[i]));
    }

    /** Gives the arguments of {@link #SET} for the prepared row, which has that field set, to {@code sink}. */
    public void write(Row row, int fieldSet, ArgumentSink sink) {
        sink.arg(key.array(), 0, key.length()).arg(fieldSet);
        for (int i = 0; i < fieldNames.length; i++) {
            columns.writeValue(row, columns.column(i), sink);
        }
    }
}
