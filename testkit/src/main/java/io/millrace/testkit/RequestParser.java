// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Splits a stream of requests into commands. Requests are arrays of bulk strings and nothing else.
 *
 * <p>An incomplete command is parsed again from its start when more bytes are there, which is simple and good enough
 * for tests.
 */
final class RequestParser {

    private static final int MAX_LENGTH_DIGITS = 10;

    private byte[] buffer = new byte[4096];
    private int start;
    private int end;
    private int position;
    private long consumed;
    private long commandStart;

    /** How many bytes of the stream belong to the commands returned so far. */
    long consumed() {
        return consumed;
    }

    /** Where in the stream the command returned last starts. */
    long commandStart() {
        return commandStart;
    }

    /** How many bytes are waiting for the rest of their command. */
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

    /** The arguments of the next command, or nothing until more bytes are added. */
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
            throw new AssertionError("a request without arguments came");
        }
        commandStart = consumed;
        consumed += position - start;
        start = position;
        return Optional.of(arguments);
    }

    /** Reads {@code marker}, digits, CR LF and returns the number, or -1 while the line is incomplete. */
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
        return new AssertionError("a malformed request came: expected=" + expected + ", at=" + (position - start)
                + ", request=" + near.replace("\r", "\\r").replace("\n", "\\n"));
    }
}
