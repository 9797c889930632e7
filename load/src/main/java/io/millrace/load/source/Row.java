// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One record of a source: the bytes of all values in one array, and the end and kind of each value.
 *
 * <pre>
 *   bytes  | 4 2 | A d a | 1 9 9 . 5 |        |
 *   ends         2       5           10       10
 *   kinds   NUMBER  TEXT    NUMBER      NULL
 * </pre>
 *
 * <p>Sources store each value as the bytes that a target writes to Redis. So a source needs no knowledge of the target,
 * and a target needs no knowledge of the source. A row is reused for many records. Only one thread may use a row at a
 * time.
 */
public final class Row {

    /** The kind of a value, for targets that distinguish kinds, such as JSON. */
    public enum Kind {
        /** No value. */
        NULL,
        /** UTF-8 text. */
        TEXT,
        /** A decimal number in JSON format. */
        NUMBER,
        /** {@code true} or {@code false}. */
        BOOLEAN,
        /** Arbitrary bytes. */
        BYTES,
        /** A valid JSON value in UTF-8, such as an object or an array. A JSON document contains the value unquoted. */
        JSON
    }

    /** Maximum capacity, in bytes, of a row that is not in use. A load keeps a row for each permit of its window. */
    public static final int KEPT_BYTES = 2_048;

    private static final int KEPT_VALUE_BYTES = 1_024;
    private static final int KEPT_COLUMNS = 128;
    private static final int FIRST_BYTES = 256;
    private static final int FIRST_COLUMNS = 16;

    /** Memory of the end and the kind of a value, with compressed references. */
    private static final int COLUMN_BYTES = 8;

    private static final byte[] NOTHING = {};
    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};

    private byte[] bytes = NOTHING;
    private int[] ends = new int[FIRST_COLUMNS];
    private Kind[] kinds = new Kind[FIRST_COLUMNS];
    private int columns;
    private int length;
    private long number;
    private long line;
    private String file = "";
    private @Nullable Rejection rejection;

    /** The columns whose values were cut: this row has only their beginning. Null if there are none. */
    private @Nullable BitSet cut;

    /** The columns whose values in this row differ from the values in the source. Null if there are none. */
    private @Nullable BitSet incorrect;

    /** Creates an empty row. */
    public Row() {}

    /**
     * Clears this row for the next record.
     *
     * @param newNumber number of the record in the source, from 1
     * @param newLine line of the file on which the record begins, counted from 1; 0 if the source has no lines
     */
    public void clear(long newNumber, long newLine) {
        number = newNumber;
        line = newLine;
        file = "";
        columns = 0;
        length = 0;
        rejection = null;
        cut = null;
        incorrect = null;
    }

    /**
     * Clears this row, and releases large buffers, so that the capacity is at most {@link #KEPT_BYTES}. The owner calls
     * this method when the row is no longer in use.
     */
    public void trim() {
        clear(0, 0);
        if (bytes.length > KEPT_VALUE_BYTES) {
            bytes = NOTHING;
        }
        if (ends.length > KEPT_COLUMNS) {
            ends = new int[FIRST_COLUMNS];
            kinds = new Kind[FIRST_COLUMNS];
        }
    }

    /** The memory of the values and columns of this row in bytes. A row with many empty columns needs memory too. */
    public int capacity() {
        return bytes.length + COLUMN_BYTES * ends.length;
    }

    /** The number of the record in the source, from 1. */
    public long number() {
        return number;
    }

    /** The line on which the record begins, from 1; 0 if the source has no lines. */
    public long line() {
        return line;
    }

    /** The file that contains the record, if the source has several files; otherwise empty. */
    public String file() {
        return file;
    }

    /** Sets the place of the record in a source with several files. The line stays unchanged. */
    void place(long newNumber, String newFile) {
        number = newNumber;
        file = newFile;
    }

    /** Moves the record of {@code other} to this row, and clears {@code other}, which receives the buffers of this row. */
    void take(Row other) {
        byte[] keptBytes = bytes;
        int[] keptEnds = ends;
        Kind[] keptKinds = kinds;
        bytes = other.bytes;
        ends = other.ends;
        kinds = other.kinds;
        columns = other.columns;
        length = other.length;
        number = other.number;
        line = other.line;
        file = other.file;
        rejection = other.rejection;
        cut = other.cut;
        incorrect = other.incorrect;
        other.bytes = keptBytes;
        other.ends = keptEnds;
        other.kinds = keptKinds;
        other.clear(0, 0);
    }

    /** The number of values. */
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
        ensureCapacity(count);
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
        ensureCapacity(count);
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

    /** The buffer with the bytes of all values. {@link #start} and {@link #length} give the range of a value. */
    public byte[] bytes() {
        return bytes;
    }

    public Kind kind(int column) {
        return kinds[column];
    }

    public boolean isNull(int column) {
        return kinds[column] == Kind.NULL;
    }

    /** The start of the value of {@code column} in {@link #bytes}. */
    public int start(int column) {
        return column == 0 ? 0 : ends[column - 1];
    }

    /** The length of the value of {@code column} in bytes. */
    public int length(int column) {
        return ends[column] - start(column);
    }

    /** The value of {@code column} as text, for messages and the rejects file. Invalid UTF-8 is replaced by U+FFFD. */
    public String text(int column) {
        return new String(bytes, start(column), length(column), StandardCharsets.UTF_8);
    }

    /** Whether this row has only the beginning of the value of {@code column}, because the value was too long. */
    public boolean isCut(int column) {
        return cut != null && cut.get(column);
    }

    /**
     * Whether the value of {@code column} is not the value of the source, because the source cannot read this value, or
     * because the value is malformed. The row of such a value is rejected.
     */
    public boolean isIncorrect(int column) {
        return incorrect != null && incorrect.get(column);
    }

    /** Rejects this row. The values added so far stay in the row, for the rejects file. */
    public void reject(Rejection.Reason reason, String message) {
        rejection = new Rejection(reason, message);
    }

    public boolean isRejected() {
        return rejection != null;
    }

    /** The rejection of this row; empty if it is not rejected. */
    public Optional<Rejection> rejection() {
        return Optional.ofNullable(rejection);
    }

    /** Appends bytes to the open value: a value that the source adds in parts. {@link #end} ends the value. */
    void append(byte[] source, int offset, int count) {
        ensureCapacity(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /**
     * Appends characters in UTF-8 to the open value.
     *
     * @return false if the characters contain half of a surrogate pair, which UTF-8 cannot represent. The open value is
     *     then incomplete
     */
    boolean append(char[] text, int offset, int count) {
        ensureCapacity(count);
        int end = offset + count;
        int i = offset;
        int at = length;
        while (i < end && text[i] < 0x80) {
            bytes[at++] = (byte) text[i++];
        }
        length = at;
        return i == end || appendEncoded(text, i, end);
    }

    private boolean appendEncoded(char[] text, int from, int end) {
        ensureCapacity(Math.multiplyExact(end - from, Utf8.MAX_BYTES));
        int encoded = Utf8.encode(text, from, end, bytes, length);
        boolean complete = encoded >= 0;
        length = complete ? encoded : ~encoded;
        return complete;
    }

    /** The start of the open value in {@link #bytes}. */
    int openStart() {
        return columns == 0 ? 0 : ends[columns - 1];
    }

    /** The current length of the open value. */
    int openLength() {
        return length - openStart();
    }

    /** Truncates the open value to {@code count} bytes. */
    void truncateOpen(int count) {
        length = Math.min(length, openStart() + count);
    }

    /** Records that the open value is only the beginning of the value in the source. */
    void cutOpen() {
        cut = with(cut, columns);
    }

    /** Records that the last value is only the beginning of the values that follow in the source. */
    void cutLast() {
        cut = with(cut, columns - 1);
    }

    /** Records that the open value is not the value of the source. */
    void markOpenIncorrect() {
        incorrect = with(incorrect, columns);
    }

    private static BitSet with(@Nullable BitSet columnsSoFar, int column) {
        BitSet all = columnsSoFar == null ? new BitSet() : columnsSoFar;
        all.set(column);
        return all;
    }

    /** Ends the open value, and adds it with this kind. */
    void end(Kind kind) {
        endColumn(kind);
    }

    /** Makes this row a copy of {@code other}. */
    void copyFrom(Row other) {
        clear(other.number, other.line);
        file = other.file;
        ensureCapacity(other.length);
        System.arraycopy(other.bytes, 0, bytes, 0, other.length);
        length = other.length;
        if (ends.length < other.columns) {
            ends = new int[other.columns];
            kinds = new Kind[other.columns];
        }
        System.arraycopy(other.ends, 0, ends, 0, other.columns);
        System.arraycopy(other.kinds, 0, kinds, 0, other.columns);
        columns = other.columns;
        rejection = other.rejection;
        cut = copy(other.cut);
        incorrect = copy(other.incorrect);
    }

    private static @Nullable BitSet copy(@Nullable BitSet original) {
        return original == null ? null : (BitSet) original.clone();
    }

    private void ensureCapacity(int count) {
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
