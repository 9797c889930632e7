// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Encodes each command as an array of bulk strings. Writes the commands one after the other, directly into buffers from
 * a {@link BufferSupplier}.
 *
 * <p>DESIGN. The header of a command contains the number of arguments, which is known only after the last argument. So
 * the encoder first reserves as many bytes as the header of the previous command had. If the final header is longer or
 * shorter, the encoder moves the arguments by a byte or two:
 *
 * <pre>
 *   ... previous command | *? CR LF | $3 CR LF SET CR LF $1 CR LF k CR LF ...
 *                        ^start      ^arguments begin here                     ^position
 * </pre>
 *
 * <p>Bytes before {@code start} belong to finished commands. Another thread may read these bytes, and the encoder never
 * changes these bytes. A command that does not fit into the current buffer is copied to the next buffer, so a command
 * never spans two buffers.
 *
 * <p>Not thread-safe.
 */
public final class RequestEncoder {

    /** Supplies the buffers of an encoder. */
    public interface BufferSupplier {

        /**
         * Returns a buffer of at least {@code bytes} bytes. The encoder fills the buffer from offset 0 and no longer
         * writes to the previous buffer. The encoder's constructor makes the first call, with {@code bytes} = 0. For
         * this call, the supplier may return a buffer of any size.
         */
        byte[] nextBuffer(int bytes);
    }

    /** Maximum number of bytes around the content of a bulk string: "$", ten digits and two CR LF. */
    private static final int BULK_FRAME = 1 + 10 + 4;

    /** A long has at most 19 digits and a sign. */
    private static final int MAX_LONG_LENGTH = 20;

    private final BufferSupplier bufferSupplier;
    private byte[] bytes;
    private int start;
    private int position;
    private int headerBytes = 4;
    private int arguments;

    public RequestEncoder(BufferSupplier bufferSupplier) {
        this.bufferSupplier = bufferSupplier;
        this.bytes = bufferSupplier.nextBuffer(0);
    }

    /**
     * Begins a command.
     *
     * @param encodedName the words of the command name as bulk strings, from {@link #encodeName}
     * @param words number of words in the name
     */
    public void begin(byte[] encodedName, int words) {
        position = start;
        ensure(headerBytes + encodedName.length);
        position += headerBytes;
        System.arraycopy(encodedName, 0, bytes, position, encodedName.length);
        position += encodedName.length;
        arguments = words;
    }

    /**
     * Encodes the words of {@code name}, such as {@code SCRIPT LOAD}, as bulk strings. A caller encodes each name only
     * one time and reuses the result.
     */
    public static byte[] encodeName(String name) {
        StringBuilder encoded = new StringBuilder();
        for (String word : name.split(" ", -1)) {
            encoded.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        return encoded.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Appends {@code length} bytes from {@code offset} as one argument. */
    public void arg(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        ensure(Math.addExact(length, BULK_FRAME));
        header('$', length);
        System.arraycopy(source, offset, bytes, position, length);
        position += length;
        endArgument();
    }

    /** Appends {@code text} in UTF-8 as one argument. */
    public void arg(String text) {
        int length = text.length();
        ensure(Math.addExact(length, BULK_FRAME));
        int before = position;
        header('$', length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                position = before;
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                arg(utf8, 0, utf8.length);
                return;
            }
            bytes[position++] = (byte) c;
        }
        endArgument();
    }

    /** Appends {@code number} in decimal digits as one argument. */
    public void arg(long number) {
        if (number == Long.MIN_VALUE) {
            arg(Long.toString(number));
            return;
        }
        ensure(MAX_LONG_LENGTH + BULK_FRAME);
        long magnitude = Math.abs(number);
        int digits = digits(magnitude);
        header('$', number < 0 ? digits + 1 : digits);
        if (number < 0) {
            bytes[position++] = '-';
        }
        putDigits(magnitude, digits);
        endArgument();
    }

    /**
     * Ends the command. The finished command ends at {@link #finishedOffset}.
     *
     * @return length of the command in bytes
     */
    public int end() {
        int width = 3 + digits(arguments);
        int payload = position - start - headerBytes;
        if (width != headerBytes) {
            ensure(width - headerBytes);
            System.arraycopy(bytes, start + headerBytes, bytes, start + width, payload);
            headerBytes = width;
        }
        position = start;
        header('*', arguments);
        start += width + payload;
        position = start;
        return width + payload;
    }

    /**
     * Appends a finished command, which another encoder has encoded: {@code length} bytes from {@code offset}. Must not be called
     * between {@link #begin} and {@link #end}.
     */
    public void command(byte[] source, int offset, int length) {
        position = start;
        ensure(length);
        System.arraycopy(source, offset, bytes, position, length);
        start += length;
        position = start;
    }

    /** Offset in the current buffer at which the last finished command ends. */
    public int finishedOffset() {
        return start;
    }

    /**
     * Removes the last finished command, which is {@code length} bytes long. Allowed only if no other thread has read
     * the command.
     */
    public void withdraw(int length) {
        start -= length;
        position = start;
    }

    /** Discards the unfinished command: all bytes after the last finished command. */
    public void abandon() {
        position = start;
    }

    private void header(char type, int value) {
        byte[] target = bytes;
        int at = position;
        target[at++] = (byte) type;
        if (value < 10) {
            target[at++] = (byte) ('0' + value);
        } else if (value < 100) {
            target[at++] = (byte) ('0' + value / 10);
            target[at++] = (byte) ('0' + value % 10);
        } else {
            position = at;
            putDigits(value, digits(value));
            at = position;
        }
        target[at++] = '\r';
        target[at++] = '\n';
        position = at;
    }

    private void endArgument() {
        bytes[position++] = '\r';
        bytes[position++] = '\n';
        arguments++;
    }

    private void putDigits(long value, int digits) {
        long rest = value;
        for (int at = position + digits - 1; at >= position; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        position += digits;
    }

    private static int digits(long value) {
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private void ensure(int count) {
        if (bytes.length - position < count) {
            int begun = position - start;
            // The new buffer has at least twice the size of the unfinished command. So the total time for copies is
            // linear in the length of the command. If each buffer were larger by a constant, the time would be
            // quadratic.
            byte[] next = bufferSupplier.nextBuffer(Math.addExact(begun, Math.max(begun, count)));
            System.arraycopy(bytes, start, next, 0, begun);
            bytes = next;
            start = 0;
            position = begun;
        }
    }
}
