// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ArgumentSink;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** A command as it could be typed into redis-cli. Belongs to one thread. */
final class CommandText implements ArgumentSink {

    private final StringBuilder text;

    /** Begins with the command's name. */
    CommandText(String name) {
        text = new StringBuilder(name);
    }

    @Override
    public ArgumentSink arg(byte[] bytes, int offset, int length) {
        text.append(' ').append(quoted(Arrays.copyOfRange(bytes, offset, offset + length)));
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /** {@code text} as one argument. */
    static String quoted(String text) {
        return text.chars().allMatch(CommandText::isPlain) && !text.isEmpty() ? text : inQuotes(text);
    }

    /** Bytes as one argument: text as text, anything else in hexadecimal escapes. */
    static String quoted(byte[] bytes) {
        try {
            return quoted(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException notText) {
            StringBuilder hex = new StringBuilder("\"");
            for (byte b : bytes) {
                boolean plain = b > ' ' && b < 0x7f && b != '"' && b != '\\';
                hex.append(plain ? String.valueOf((char) b) : escape(b));
            }
            return hex.append('"').toString();
        }
    }

    private static String inQuotes(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case '"', '\\' -> quoted.append('\\').append(c);
                default -> quoted.append(c < ' ' || c == 0x7f ? escape(c) : String.valueOf(c));
            }
        }
        return quoted.append('"').toString();
    }

    private static boolean isPlain(int c) {
        return c > ' ' && c != 0x7f && c != '"' && c != '\'' && c != '\\' && !Character.isWhitespace(c);
    }

    private static String escape(int b) {
        return String.format(Locale.ROOT, "\\x%02x", b & 0xff);
    }
}
