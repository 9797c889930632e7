// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.nio.charset.StandardCharsets;

/**
 * Parses the RESP lines that contain a whole value other than a number. An invalid line causes an {@link
 * IllegalArgumentException}, whose message describes the violation.
 */
final class Scalars {

    private Scalars() {}

    /** Parses the text of a simple string or an error. */
    static String text(byte[] line, int from, int to) {
        if (to - from == 2 && line[from] == 'O' && line[from + 1] == 'K') {
            return Reply.OK.text();
        }
        for (int i = from; i < to; i++) {
            if (line[i] == '\r') {
                throw new IllegalArgumentException("a line contains a CR");
            }
        }
        return new String(line, from, to - from, StandardCharsets.UTF_8);
    }

    static Reply nullReply(int from, int to) {
        if (from != to) {
            throw new IllegalArgumentException("a null reply has extra characters after the underscore");
        }
        return Reply.Null.NULL;
    }

    static Reply booleanReply(byte[] line, int from, int to) {
        if (to - from != 1 || (line[from] != 't' && line[from] != 'f')) {
            throw new IllegalArgumentException("a boolean is neither t nor f");
        }
        return new Reply.BooleanReply(line[from] == 't');
    }

    /** Returns {@code b} as a character if the character is visible, or as a hexadecimal number. */
    static String printable(byte b) {
        return b > 0x20 && b < 0x7f ? "'" + (char) b + "'" : String.format("0x%02x", b & 0xff);
    }
}
