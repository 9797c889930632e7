// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** A text that all keys of a bucket layout begin with. */
final class KeyPrefix {

    /** The reason why a layout rejects a key that does not begin with the prefix. */
    static final Optional<String> WRONG_PREFIX = Optional.of("the key does not begin with the prefix");

    private final String text;
    private final byte[] bytes;

    KeyPrefix(String text) {
        this.text = Objects.requireNonNull(text, "prefix");
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Length in bytes. */
    int length() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes;
    }

    /**
     * Returns whether a key begins with this prefix. The key consists of {@code length} bytes of the array {@code key},
     * from {@code offset} on.
     */
    boolean isPrefixOf(byte[] key, int offset, int length) {
        return length >= bytes.length && Arrays.equals(key, offset, offset + bytes.length, bytes, 0, bytes.length);
    }

    /** Returns this prefix as a literal part of a {@code SCAN} pattern, with escaped special characters. */
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

    /** Returns this prefix as a literal part of a regular expression. */
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
