// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.Rejection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One record of a source, in flat form: the bytes of all its values end to end, and for each column where they end and of
 * what kind they are.
 *
 * <pre>
 *   bytes  | 4 2 | A d a | 1 9 9 . 5 |        |
 *   ends         2       5           10       10
 *   kinds   NUMBER  TEXT    NUMBER      NULL
 * </pre>
 *
 * <p>Values stand there as they will be written to Redis, so that no source and no target needs to know of the other. A row
 * is made to be used again and again; it belongs to one thread at a time.
 */
public final class Row {

    /** What a value is, for targets that tell kinds apart, as JSON does. */
    public enum Kind {
        /** No value. */
        NULL,
        /** UTF-8 text. */
        TEXT,
        /** A decimal number as JSON would write it. */
        NUMBER,
        /** {@code true} or {@code false}. */
        BOOLEAN,
        /** Bytes that need not be text. */
        BYTES
    }

    /** Most room that a row keeps when it is put aside: a pool of 16,384 rows then holds 16 MiB at most. */
    public static final int KEPT_BYTES = 1_024;

    private static final int FIRST_BYTES = 256;
    private static final byte[] NOTHING = {};
    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};

    private byte[] bytes = NOTHING;
    private int[] ends = new int[16];
    private Kind[] kinds = new Kind[16];
    private int columns;
    private int length;
    private long number;
    private long line;
    private @Nullable Rejection rejection;

    /**
     * Empties this row for its next record.
     *
     * @param newNumber of the record in its source, from 1
     * @param newLine of the file where the record begins, from 1; 0 where the source has no lines
     */
    public void clear(long newNumber, long newLine) {
        number = newNumber;
        line = newLine;
        columns = 0;
        length = 0;
        rejection = null;
    }

    /** Empties this row and gives back what room it has beyond {@link #KEPT_BYTES}; to be called when it is put aside. */
    public void trim() {
        clear(0, 0);
        if (bytes.length > KEPT_BYTES) {
            bytes = NOTHING;
        }
    }

    /** How many bytes of memory the values take up, room for more included. */
    public int capacity() {
        return bytes.length;
    }

    /** The record's number in its source, from 1. */
    public long number() {
        return number;
    }

    /** The line on which the record begins, from 1; 0 where the source has no lines. */
    public long line() {
        return line;
    }

    /** How many values have been added. */
    public int size() {
        return columns;
    }

    /** Adds NULL. */
    public void addNull() {
        endColumn(Kind.NULL);
    }

    /** Adds {@code count} bytes from {@code offset}. */
    public void add(Kind kind, byte[] source, int offset, int count) {
        append(source, offset, count);
        endColumn(kind);
    }

    /** Adds all of {@code source}. */
    public void add(Kind kind, byte[] source) {
        add(kind, source, 0, source.length);
    }

    /** Adds {@code text} in UTF-8. */
    public void add(Kind kind, String text) {
        int count = text.length();
        ensureRoom(count);
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                add(kind, text.getBytes(StandardCharsets.UTF_8));
                return;
            }
            bytes[length + i] = (byte) c;
        }
        length += count;
        endColumn(kind);
    }

    /** Adds {@code value} in decimal digits. */
    public void add(long value) {
        if (value == Long.MIN_VALUE) {
            add(Kind.NUMBER, Long.toString(value));
            return;
        }
        long rest = Math.abs(value);
        int count = value < 0 ? 2 : 1;
        for (long left = rest; left >= 10; left /= 10) {
            count++;
        }
        ensureRoom(count);
        int at = length + count;
        do {
            bytes[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        if (value < 0) {
            bytes[--at] = '-';
        }
        length += count;
        endColumn(Kind.NUMBER);
    }

    /** Adds {@code true} or {@code false}. */
    public void add(boolean value) {
        add(Kind.BOOLEAN, value ? TRUE : FALSE);
    }

    /** The bytes of all values end to end; read only what {@link #start} and {@link #length} name. */
    public byte[] bytes() {
        return bytes;
    }

    public Kind kind(int column) {
        return kinds[column];
    }

    public boolean isNull(int column) {
        return kinds[column] == Kind.NULL;
    }

    /** Where in {@link #bytes} the value of {@code column} begins. */
    public int start(int column) {
        return column == 0 ? 0 : ends[column - 1];
    }

    /** How many bytes the value of {@code column} has. */
    public int length(int column) {
        return ends[column] - start(column);
    }

    /** The value of {@code column} as text, with malformed UTF-8 replaced; for messages and rejects. */
    public String text(int column) {
        return new String(bytes, start(column), length(column), StandardCharsets.UTF_8);
    }

    /** Says that this record cannot be a row. The values added so far stay, so that the rejects file can show them. */
    public void reject(Rejection.Reason reason, String message) {
        rejection = new Rejection(reason, message);
    }

    public boolean isRejected() {
        return rejection != null;
    }

    /** Why this record cannot be a row; empty if it can. */
    public Optional<Rejection> rejection() {
        return Optional.ofNullable(rejection);
    }

    /** Lengthens the value that is being built; {@link #end} adds it. Lets a source give a value in pieces. */
    void append(byte[] source, int offset, int count) {
        ensureRoom(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /** Where in {@link #bytes} the value that is being built begins. */
    int openStart() {
        return columns == 0 ? 0 : ends[columns - 1];
    }

    /** How long the value that is being built is so far. */
    int openLength() {
        return length - openStart();
    }

    /** Shortens the value that is being built to its first {@code count} bytes. */
    void cutOpen(int count) {
        length = Math.min(length, openStart() + count);
    }

    /** Adds what was appended since the last value as the next one. */
    void end(Kind kind) {
        endColumn(kind);
    }

    private void ensureRoom(int count) {
        if (bytes.length - length < count) {
            int grown = Math.max(FIRST_BYTES, bytes.length + (bytes.length >> 1));
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, count), grown));
        }
    }

    private void endColumn(Kind kind) {
        if (columns == ends.length) {
            ends = Arrays.copyOf(ends, columns * 2);
            kinds = Arrays.copyOf(kinds, columns * 2);
        }
        ends[columns] = length;
        kinds[columns] = kind;
        columns++;
    }
}
