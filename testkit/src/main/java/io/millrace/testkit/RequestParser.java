// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Splits a stream of requests into commands. Each request must be an array of bulk strings, as clients send it.
 *
 * <p>If a command is not complete, the parser starts again at the first byte of the command when more bytes have
 * arrived. This is simple, and fast enough for tests.
 */
final class RequestParser {

    private static final int MAX_LENGTH_DIGITS = 10;

    private byte[] buffer = new byte[4096];
    private int start;
    private int end;
    private int position;
    private long consumed;
    private long commandStart;

    /** Number of bytes of all commands that {@link #next} has returned. */
    long consumed() {
        return consumed;
    }

    /**
     * Offset of the first byte of the command that {@link #next} returned last, counted from the start of the stream.
     */
    long commandStart() {
        return commandStart;
    }

    /** Number of bytes that were added and do not belong to a returned command. */
    int pending() {
        return end - start;
    }

    void add(byte[] bytes, int length) {
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        if (buffer.length - end < length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, end + length));
        }
        System.arraycopy(bytes, 0, buffer, end, length);
        end += length;
    }

    /** Returns the name and the arguments of the next command. Empty if the command is not complete yet. */
    Optional<List<byte[]>> next() {
        position = start;
        int count = header('*');
        if (count < 0) {
            return Optional.empty();
        }
        List<byte[]> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = header('$');
            if (length < 0 || end - position < length + 2) {
                return Optional.empty();
            }
            arguments.add(Arrays.copyOfRange(buffer, position, position + length));
            position += length;
            expectLineEnd();
        }
        if (arguments.isEmpty()) {
            throw new AssertionError("received a request without a command name");
        }
        commandStart = consumed;
        consumed += position - start;
        start = position;
        return Optional.of(arguments);
    }

    /** Reads one line: {@code marker}, digits, CR and LF. Returns the number, or -1 if the line is not complete yet. */
    private int header(char marker) {
        if (position == end) {
            return -1;
        }
        if (buffer[position] != marker) {
            throw malformed("'" + marker + "'");
        }
        int digit = position + 1;
        long number = 0;
        while (digit < end && buffer[digit] >= '0' && buffer[digit] <= '9') {
            number = number * 10 + buffer[digit++] - '0';
        }
        int digits = digit - position - 1;
        if (digits > MAX_LENGTH_DIGITS || number > Integer.MAX_VALUE || (digits == 0 && digit < end)) {
            throw malformed("a length");
        }
        if (end - digit < 2) {
            return -1;
        }
        position = digit;
        expectLineEnd();
        return (int) number;
    }

    private void expectLineEnd() {
        if (buffer[position] != '\r' || buffer[position + 1] != '\n') {
            throw malformed("CR LF");
        }
        position += 2;
    }

    private AssertionError malformed(String expected) {
        String near = new String(buffer, start, Math.min(end - start, 60), US_ASCII);
        return new AssertionError("received a malformed request: expected=" + expected + ", at=" + (position - start)
                + ", request=" + near.replace("\r", "\\r").replace("\n", "\\n"));
    }
}
