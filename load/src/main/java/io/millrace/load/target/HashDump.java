// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The serialized form of a small hash: the bytes that {@code DUMP} returns for the hash, and that {@code RESTORE} reads.
 *
 * <pre>
 *   dump       | 16: hash as listpack | length | listpack            | 10 0: RDB version | CRC-64 of the rest |
 *   length     | 00xxxxxx, or 01xxxxxx and 1 byte, or 0x80 and 4 bytes, highest byte first
 *   listpack   | all bytes, 4 bytes | elements, 2 bytes | field | value | field | value | 0xFF |
 * </pre>
 *
 * <p>Version 10 is the version of Redis 7.0. Each server reads its own version and the versions before. Reuses its
 * buffer for the next hash. Confined to one thread.
 */
final class HashDump {

    /**
     * Maximum size of a dump in bytes. So the buffer stays small, and the number of elements fits into two bytes.
     */
    static final int MAX_BYTES = 64 << 10;

    private static final int TYPE = 16;
    private static final int VERSION = 10;

    /** Room for the type and the longest length before the listpack. */
    private static final int LISTPACK = 6;

    private static final int HEADER_BYTES = 6;
    private static final int END_BYTES = 1 + 2 + 8;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[512];
    private int start;
    private int end = LISTPACK + HEADER_BYTES;
    private int elements;

    /** Begins a hash. */
    void clear() {
        end = LISTPACK + HEADER_BYTES;
        elements = 0;
    }

    /** The bytes that {@link #add} writes for {@code text}, for {@link #addElement}. */
    static byte[] element(byte[] text) {
        byte[] element = new byte[text.length + Listpack.MAX_OVERHEAD];
        return Arrays.copyOf(element, Listpack.write(text, 0, text.length, element, 0));
    }

    /**
     * Adds a field or a value that {@link #element} has encoded.
     *
     * @return false if the dump would become too large
     */
    boolean addElement(byte[] element) {
        if (!hasRoom(element.length)) {
            return false;
        }
        System.arraycopy(element, 0, bytes, end, element.length);
        end += element.length;
        elements++;
        return true;
    }

    /**
     * Adds a field or a value: {@code length} bytes of {@code source} from {@code offset}.
     *
     * @return false if the dump would become too large
     */
    boolean add(byte[] source, int offset, int length) {
        if (length > MAX_BYTES || !hasRoom(length + Listpack.MAX_OVERHEAD)) {
            return false;
        }
        end = Listpack.write(source, offset, length, bytes, end);
        elements++;
        return true;
    }

    /** Completes the dump. {@link #bytes}, {@link #start} and {@link #length} then describe the dump. */
    void complete() {
        bytes[end++] = (byte) 0xFF;
        int size = end - LISTPACK;
        INT.set(bytes, LISTPACK, size);
        SHORT.set(bytes, LISTPACK + 4, (short) elements);
        writeStart(size);
        SHORT.set(bytes, end, (short) VERSION);
        end += 2;
        LONG.set(bytes, end, Crc64.of(bytes, start, end - start));
        end += 8;
    }

    private void writeStart(int size) {
        if (size < 1 << 6) {
            start = LISTPACK - 2;
            bytes[start + 1] = (byte) size;
        } else if (size < 1 << 14) {
            start = LISTPACK - 3;
            bytes[start + 1] = (byte) (0x40 | (size >> 8));
            bytes[start + 2] = (byte) size;
        } else {
            start = LISTPACK - 6;
            bytes[start + 1] = (byte) 0x80;
            INT.set(bytes, start + 2, Integer.reverseBytes(size));
        }
        bytes[start] = TYPE;
    }

    /** The buffer with the dump. Valid until the next {@link #clear}. */
    byte[] bytes() {
        return bytes;
    }

    /** The position of the first byte of the dump. */
    int start() {
        return start;
    }

    /** The length of the dump in bytes. */
    int length() {
        return end - start;
    }

    /** Makes room for {@code count} bytes and the end. */
    private boolean hasRoom(int count) {
        int needed = end + count + END_BYTES;
        if (needed > MAX_BYTES) {
            return false;
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        }
        return true;
    }
}
