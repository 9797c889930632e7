// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip data (RFC 1952), which may have several members.
 *
 * <p>DESIGN: why this is not {@link java.util.zip.GZIPInputStream}. That class ignores an incomplete header of a second
 * member, bytes after the last member, and all further members if {@code available} of its stream returns 0. So it
 * would lose rows without an error. This class throws {@link EOFException} if the data ends early, and {@link
 * IOException} if the data is damaged or is followed by other data. Zeros after the last member are permitted, because
 * tapes and some programs add them.
 *
 * <p>Blocks while the stream blocks. Confined to one thread. Closing this stream does not close the other stream.
 */
final class GzipInput extends InputStream {

    private static final int MAGIC_1 = 0x1F;
    private static final int MAGIC_2 = 0x8B;
    private static final int DEFLATE = 8;

    private static final int HAS_HEADER_CHECK = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private static final int BUFFER_BYTES = 32 * 1024;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int pos;
    private int limit;
    private boolean ended;

    /** Reads the header of the first member. */
    GzipInput(InputStream in) throws IOException {
        this.in = in;
        try {
            readHeader(needByte());
        } catch (IOException e) {
            inflater.end();
            throw e;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            int count = inflate(into, offset, length);
            if (count > 0) {
                crc.update(into, offset, count);
                return count;
            }
            if (inflater.finished()) {
                endMember();
            } else if (inflater.needsDictionary()) {
                throw damaged("the data needs a dictionary");
            } else if (inflater.needsInput()) {
                fillInflater();
            }
        }
        return -1;
    }

    private int inflate(byte[] into, int offset, int length) throws IOException {
        try {
            return inflater.inflate(into, offset, length);
        } catch (DataFormatException e) {
            throw damaged(String.valueOf(e.getMessage()));
        }
    }

    private void fillInflater() throws IOException {
        if (pos == limit && !fill()) {
            throw endsEarly();
        }
        inflater.setInput(buffer, pos, limit - pos);
        pos = limit;
    }

    /** Checks the trailer of a member, and moves to the next member. */
    private void endMember() throws IOException {
        pos = limit - inflater.getRemaining();
        long expectedCrc = needInt();
        long expectedSize = needInt();
        if (expectedCrc != crc.getValue() || expectedSize != (inflater.getBytesWritten() & 0xFFFFFFFFL)) {
            throw damaged("its checksum differs");
        }
        int next = nextByte();
        while (next == 0) {
            next = nextByte();
            if (next > 0) {
                throw damaged("other data follows");
            }
        }
        if (next < 0) {
            ended = true;
            return;
        }
        readHeader(next);
        inflater.reset();
        crc.reset();
    }

    private void readHeader(int first) throws IOException {
        if (first != MAGIC_1 || needByte() != MAGIC_2) {
            throw damaged("other data follows");
        }
        if (needByte() != DEFLATE) {
            throw damaged("its method of compression is unknown");
        }
        int flags = needByte();
        if ((flags & RESERVED) != 0) {
            throw damaged("its header has unknown flags");
        }
        skip(6); // time, level, operating system
        if ((flags & HAS_EXTRA) != 0) {
            skip(needByte() | (needByte() << 8));
        }
        if ((flags & HAS_NAME) != 0) {
            skipText();
        }
        if ((flags & HAS_COMMENT) != 0) {
            skipText();
        }
        if ((flags & HAS_HEADER_CHECK) != 0) {
            skip(2);
        }
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            needByte();
        }
    }

    /** Skips text that ends with a zero. */
    private void skipText() throws IOException {
        int last = needByte();
        while (last != 0) {
            last = needByte();
        }
    }

    private long needInt() throws IOException {
        return needByte() | (needByte() << 8) | (needByte() << 16) | ((long) needByte() << 24);
    }

    private int needByte() throws IOException {
        int next = nextByte();
        if (next < 0) {
            throw endsEarly();
        }
        return next;
    }

    private int nextByte() throws IOException {
        return pos < limit || fill() ? buffer[pos++] & 0xFF : -1;
    }

    private boolean fill() throws IOException {
        pos = 0;
        limit = Math.max(0, in.read(buffer, 0, buffer.length));
        return limit > 0;
    }

    private static EOFException endsEarly() {
        return new EOFException("the gzip data ends early: the file is not complete");
    }

    private static IOException damaged(String why) {
        return new IOException("the gzip data is damaged: " + why);
    }

    /** Releases the memory of the decompression. */
    @Override
    public void close() {
        inflater.end();
        ended = true;
    }
}
