// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Arrays;

/** Where a pair lies: a hash and a field of it. {@link Packing#locate} fills it, for one pair after the other. Belongs to one thread. */
public final class PairPlace {

    /** A long in decimal digits, with its sign. */
    private static final int LONGEST_NUMBER = 20;

    private byte[] bytes = new byte[64];
    private int hashLength;
    private int length;

    /** The hash's name and, right behind it, the field; valid until the next pair is located. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many bytes the name of the hash has. */
    public int hashLength() {
        return hashLength;
    }

    /** How many bytes the field has; may be 0. */
    public int fieldLength() {
        return length - hashLength;
    }

    /** The name of the hash, copied. */
    public byte[] hash() {
        return Arrays.copyOf(bytes, hashLength);
    }

    /** The field, copied. */
    public byte[] field() {
        return Arrays.copyOfRange(bytes, hashLength, length);
    }

    PairPlace begin() {
        hashLength = 0;
        length = 0;
        return this;
    }

    PairPlace append(byte[] source, int offset, int count) {
        ensureRoom(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
        return this;
    }

    PairPlace append(char ascii) {
        ensureRoom(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** Appends {@code number}, 0 or more, in decimal digits. */
    PairPlace append(long number) {
        ensureRoom(LONGEST_NUMBER);
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** What has been appended is the name of the hash; what follows is the field. */
    PairPlace endHash() {
        hashLength = length;
        return this;
    }

    private void ensureRoom(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, count), bytes.length + (bytes.length >> 1)));
        }
    }
}
