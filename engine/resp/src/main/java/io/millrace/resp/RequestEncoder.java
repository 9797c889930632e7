// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.nio.charset.StandardCharsets;

/**
 * Writes commands as arrays of bulk strings, one after the other, straight into arrays that its {@link Room} provides.
 *
 * <p>DESIGN. The number of arguments stands in front of them but is known only behind the last. So the header's width is
 * taken to be that of the command before, and a wrong guess moves the arguments by a byte or two:
 *
 * <pre>
 *   ... previous command | *? CR LF | $3 CR LF SET CR LF $1 CR LF k CR LF ...
 *                        ^start      ^arguments follow at once                 ^position
 * </pre>
 *
 * <p>What stands before {@code start} is finished, may be read by another thread, and is never touched again. A command that
 * does not fit is taken along to the next array, so a command never spans two.
 *
 * <p>Not thread-safe.
 */
public final class RequestEncoder {

    /** Where an encoder gets arrays from. */
    public interface Room {

        /**
         * An array of at least {@code bytes}, to be filled from its start. The array given before will not be written to
         * again. Asked first by the encoder's constructor, for 0 bytes: an array of any size.
         */
        byte[] next(int bytes);
    }

    /** A bulk string's "$", ten digits and two times CR LF. */
    private static final int BULK_FRAME = 1 + 10 + 4;

    /** A long has at most 19 digits and a sign. */
    private static final int LONGEST_NUMBER = 20;

    private final Room room;
    private byte[] bytes;
    private int start;
    private int position;
    private int headerBytes = 4;
    private int arguments;

    public RequestEncoder(Room room) {
        this.room = room;
        this.bytes = room.next(0);
    }

    /**
     * Begins a command.
     *
     * @param encodedName the words of its name as bulk strings, from {@link #encodeName}
     * @param words how many these are
     */
    public void begin(byte[] encodedName, int words) {
        position = start;
        ensure(headerBytes + encodedName.length);
        position += headerBytes;
        System.arraycopy(encodedName, 0, bytes, position, encodedName.length);
        position += encodedName.length;
        arguments = words;
    }

    /** The words of {@code name}, such as {@code SCRIPT LOAD}, as bulk strings: encoded once, then copied. */
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
        ensure(LONGEST_NUMBER + BULK_FRAME);
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
     * Ends the command: it is now finished, and stands before {@link #finished}.
     *
     * @return its length in bytes
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

    /** Where in the current array the last finished command ends. */
    public int finished() {
        return start;
    }

    /** Takes back the last finished command, of {@code length} bytes, which nobody may have seen yet. */
    public void withdraw(int length) {
        start -= length;
        position = start;
    }

    /** Forgets what was written since the last finished command. */
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
            // Twice of what a long command has so far, or copying it on and on would take the square of its length.
            byte[] next = room.next(Math.addExact(begun, Math.max(begun, count)));
            System.arraycopy(bytes, start, next, 0, begun);
            bytes = next;
            start = 0;
            position = begun;
        }
    }
}
