// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How one place in Redis differs from its row in the source.
 *
 * @param field field of the hash, or element of the key; empty if the difference concerns the key
 * @param expected the value in the source; empty if the difference has no value
 * @param found the value in Redis; empty if there is none
 * @param cut whether {@code expected} or {@code found} is only the beginning of a longer value
 */
@SuppressWarnings("ArrayRecordComponent")
public record Difference(Kind kind, byte[] field, byte[] expected, byte[] found, boolean cut) {

    /** The kinds of differences. */
    public enum Kind {
        /** The key or the field does not exist. */
        ABSENT,
        /** The value is another one. */
        VALUE,
        /** The hash has fields that the row does not have. A replaced hash must not have such fields. */
        FIELDS,
        /** The expiry does not fit; the values are milliseconds, and -1 means no expiry. */
        TTL,
        /** The key has another type. */
        TYPE
    }

    /** Maximum number of bytes of a value that a difference keeps. */
    public static final int KEPT_BYTES = 1_024;

    private static final byte[] NOTHING = {};

    /** A difference without values. */
    public static Difference of(Kind kind) {
        return new Difference(kind, NOTHING, NOTHING, NOTHING, false);
    }

    /** A difference between two numbers or texts in ASCII. */
    static Difference of(Kind kind, String expected, String found) {
        return new Difference(kind, NOTHING, bytes(expected), bytes(found), false);
    }

    /** A difference of values. Keeps only the beginning of long values. */
    static Difference of(Kind kind, byte[] field, byte[] expected, byte[] found) {
        boolean cut = expected.length > KEPT_BYTES || found.length > KEPT_BYTES;
        return new Difference(kind, field, kept(expected), kept(found), cut);
    }

    /** Bytes that this difference occupies, about. */
    public int size() {
        return 64 + field.length + expected.length + found.length;
    }

    private static byte[] kept(byte[] value) {
        return value.length > KEPT_BYTES ? Arrays.copyOf(value, KEPT_BYTES) : value;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Difference that
                && kind == that.kind
                && cut == that.cut
                && Arrays.equals(field, that.field)
                && Arrays.equals(expected, that.expected)
                && Arrays.equals(found, that.found);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * kind.hashCode() + Arrays.hashCode(expected)) + Arrays.hashCode(found);
    }

    @Override
    public String toString() {
        return "Difference[" + kind + ", expectedBytes=" + expected.length + ", foundBytes=" + found.length + "]";
    }
}
