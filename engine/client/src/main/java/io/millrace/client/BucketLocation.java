// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Arrays;

/**
 * The bucket and field of a key-value pair, in a mutable buffer. {@link BucketLayout#locate} overwrites the buffer for
 * each pair. Not thread-safe.
 */
public final class BucketLocation {

    /** Maximum number of characters of a {@code long} in decimal notation, including the sign. */
    private static final int MAX_NUMBER_LENGTH = 20;

    private byte[] bytes = new byte[64];
    private int bucketLength;
    private int length;

    /** Creates an empty buffer. */
    public BucketLocation() {}

    /**
     * The buffer. It begins with the bucket's name, and the field follows without a separator. The bytes after the
     * field have no meaning. The content is valid until the next call of {@link BucketLayout#locate}.
     */
    public byte[] bytes() {
        return bytes;
    }

    /** Length of the bucket's name in bytes. */
    public int bucketLength() {
        return bucketLength;
    }

    /** Length of the field in bytes; may be 0. */
    public int fieldLength() {
        return length - bucketLength;
    }

    /** Copy of the bucket's name. */
    public byte[] bucket() {
        return Arrays.copyOf(bytes, bucketLength);
    }

    /** Copy of the field. */
    public byte[] field() {
        return Arrays.copyOfRange(bytes, bucketLength, length);
    }

    BucketLocation begin() {
        bucketLength = 0;
        length = 0;
        return this;
    }

    BucketLocation append(byte[] source, int offset, int count) {
        ensureCapacity(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
        return this;
    }

    BucketLocation append(char ascii) {
        ensureCapacity(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** Appends {@code number}, 0 or more, in decimal digits. */
    BucketLocation append(long number) {
        ensureCapacity(MAX_NUMBER_LENGTH);
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

    /** Marks the end of the bucket's name. All bytes that are appended after this call belong to the field. */
    BucketLocation endBucket() {
        bucketLength = length;
        return this;
    }

    private void ensureCapacity(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, count), bytes.length + (bytes.length >> 1)));
        }
    }
}
