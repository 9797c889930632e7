// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/**
 * Converts a stream from another encoding to UTF-8. Invalid input becomes the byte {@code FF}, which does not occur in
 * UTF-8. So the row with this byte is rejected, and all other rows are read.
 *
 * <p>Blocks while the stream blocks. Confined to one thread.
 */
final class Utf8Transcoder extends InputStream {

    private static final int BUFFER = 16 * 1024;
    private static final byte MALFORMED = (byte) 0xFF;

    private final InputStream in;
    private final CharsetDecoder decoder;
    private final ByteBuffer source = ByteBuffer.allocate(BUFFER).flip();
    private final CharBuffer chars = CharBuffer.allocate(BUFFER);
    private final byte[] utf8 = new byte[BUFFER * 3 + 4];
    private int from;
    private int to;
    private char highSurrogate;
    private boolean ended;

    Utf8Transcoder(InputStream in, Charset encoding) {
        this.in = in;
        this.decoder = encoding.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
    }

    @Override
    public int read() throws IOException {
        return from < to || refill() ? utf8[from++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (from == to && !refill()) {
            return -1;
        }
        int count = Math.min(length, to - from);
        System.arraycopy(utf8, from, into, offset, count);
        from += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** Decodes until there is output. Returns false at the end of the input. */
    private boolean refill() throws IOException {
        from = 0;
        to = 0;
        while (to == 0 && !ended) {
            CoderResult result = decoder.decode(source, chars, false);
            encode();
            if (result.isError()) {
                source.position(source.position() + result.length());
                utf8[to++] = MALFORMED;
            } else if (result.isUnderflow() && !readSource()) {
                finish();
            }
        }
        return to > 0;
    }

    private boolean readSource() throws IOException {
        source.compact();
        int count = in.read(source.array(), source.position(), source.remaining());
        source.position(source.position() + Math.max(count, 0)).flip();
        return count >= 0;
    }

    private void finish() {
        ended = true;
        if (decoder.decode(source, chars, true).isError()) {
            utf8[to++] = MALFORMED;
        }
        decoder.flush(chars);
        encode();
    }

    private void encode() {
        chars.flip();
        while (chars.hasRemaining()) {
            char c = chars.get();
            if (c < 0x80) {
                utf8[to++] = (byte) c;
            } else if (c < 0x800) {
                utf8[to++] = (byte) (0xC0 | (c >> 6));
                utf8[to++] = (byte) (0x80 | (c & 0x3F));
            } else if (Character.isHighSurrogate(c)) {
                highSurrogate = c;
            } else {
                encodeLong(Character.isLowSurrogate(c) ? Character.toCodePoint(highSurrogate, c) : c);
            }
        }
        chars.clear();
    }

    private void encodeLong(int point) {
        if (point >= 0x10000) {
            utf8[to++] = (byte) (0xF0 | (point >> 18));
            utf8[to++] = (byte) (0x80 | ((point >> 12) & 0x3F));
        } else {
            utf8[to++] = (byte) (0xE0 | (point >> 12));
        }
        utf8[to++] = (byte) (0x80 | ((point >> 6) & 0x3F));
        utf8[to++] = (byte) (0x80 | (point & 0x3F));
    }
}
