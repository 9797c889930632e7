// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** What keys have in common: the text they begin with. */
final class KeyPrefix {

    /** Why a key that begins otherwise has no place. */
    static final Optional<String> MISSING = Optional.of("it does not begin with the prefix");

    private final String text;
    private final byte[] bytes;

    KeyPrefix(String text) {
        this.text = Objects.requireNonNull(text, "prefix");
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** How many bytes it has. */
    int length() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Whether the {@code length} bytes from {@code offset} begin so. */
    boolean begins(byte[] key, int offset, int length) {
        return length >= bytes.length && Arrays.equals(key, offset, offset + bytes.length, bytes, 0, bytes.length);
    }

    /** As a part of a pattern of {@code SCAN}, which matches this text and no other. */
    String pattern() {
        StringBuilder pattern = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ("*?[]^-\\".indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.toString();
    }

    /** As a part of a regular expression, which matches this text and no other. */
    String regex() {
        return Pattern.quote(text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyPrefix that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
