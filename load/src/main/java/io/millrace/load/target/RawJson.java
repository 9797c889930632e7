// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.core.SerializableString;

/**
 * A range of bytes that is already JSON. The generator copies the bytes without decoding them to characters. The range
 * needs no escaping, so the quoted forms equal the unquoted forms.
 */
final class RawJson implements SerializableString {

    private byte[] bytes = {};
    private int offset;
    private int count;

    /** Sets the range to the {@code newCount} bytes from {@code newOffset}. */
    RawJson at(byte[] newBytes, int newOffset, int newCount) {
        bytes = newBytes;
        offset = newOffset;
        count = newCount;
        return this;
    }

    @Override
    public int appendUnquotedUTF8(byte[] target, int at) {
        if (target.length - at < count) {
            return -1;
        }
        System.arraycopy(bytes, offset, target, at, count);
        return count;
    }

    @Override
    public byte[] asUnquotedUTF8() {
        return Arrays.copyOfRange(bytes, offset, offset + count);
    }

    @Override
    public int writeUnquotedUTF8(OutputStream out) throws IOException {
        out.write(bytes, offset, count);
        return count;
    }

    @Override
    public int putUnquotedUTF8(ByteBuffer target) {
        if (target.remaining() < count) {
            return -1;
        }
        target.put(bytes, offset, count);
        return count;
    }

    @Override
    public String getValue() {
        return new String(bytes, offset, count, StandardCharsets.UTF_8);
    }

    @Override
    public int charLength() {
        return getValue().length();
    }

    @Override
    public int appendUnquoted(char[] target, int at) {
        String value = getValue();
        if (target.length - at < value.length()) {
            return -1;
        }
        value.getChars(0, value.length(), target, at);
        return value.length();
    }

    @Override
    public char[] asQuotedChars() {
        return getValue().toCharArray();
    }

    @Override
    public byte[] asQuotedUTF8() {
        return asUnquotedUTF8();
    }

    @Override
    public int appendQuotedUTF8(byte[] target, int at) {
        return appendUnquotedUTF8(target, at);
    }

    @Override
    public int appendQuoted(char[] target, int at) {
        return appendUnquoted(target, at);
    }

    @Override
    public int writeQuotedUTF8(OutputStream out) throws IOException {
        return writeUnquotedUTF8(out);
    }

    @Override
    public int putQuotedUTF8(ByteBuffer target) {
        return putUnquotedUTF8(target);
    }
}
