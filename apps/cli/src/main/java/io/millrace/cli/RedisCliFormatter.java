// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.command.ArgumentSink;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Formats one command as redis-cli input. Not thread-safe. */
final class RedisCliFormatter implements ArgumentSink {

    private final StringBuilder text;

    /** Starts the text with the command name. */
    RedisCliFormatter(String name) {
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

    /** Formats {@code text} as one argument, with quotes if redis-cli needs them. */
    static String quoted(String text) {
        return text.chars().allMatch(RedisCliFormatter::isPlain) && !text.isEmpty() ? text : inQuotes(text);
    }

    /** Formats {@code bytes} as one argument: UTF-8 as text, other bytes with hexadecimal escapes. */
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
