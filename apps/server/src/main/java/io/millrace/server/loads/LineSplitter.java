// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.server.loads.LogFile.Place;
import io.millrace.server.loads.LogFile.PlacedLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Predicate;

/** Splits a stream into lines. A line above {@link LogLine#MAX_BYTES} counts as unreadable, and takes no memory. */
final class LineSplitter {

    private static final int BUFFER_BYTES = 16 * 1024;

    /** Returns whether a line is readable. */
    private final Predicate<PlacedLine> reader;

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    /** The begin of the line that is being read, and the end of the bytes read so far. */
    private long begin;

    private long end;

    private int lines;
    private int unreadable;

    LineSplitter(Predicate<PlacedLine> reader) {
        this.reader = reader;
    }

    /** Reads to the end of the stream. A last line without a line end is not passed to the reader. */
    void readAll(InputStream in) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            int from = 0;
            for (int i = 0; i < count; i++) {
                if (buffer[i] == '\n') {
                    add(buffer, from, i + 1);
                    endLine();
                    from = i + 1;
                }
            }
            add(buffer, from, count);
        }
    }

    private void add(byte[] buffer, int from, int to) {
        end += to - from;
        if (end - begin <= LogLine.MAX_BYTES) {
            text.write(buffer, from, to - from);
        }
    }

    private void endLine() {
        lines++;
        if (end - begin > LogLine.MAX_BYTES
                || (end - begin > 1
                        && !reader.test(new PlacedLine(new Place(begin, (int) (end - begin)), text.toByteArray())))) {
            unreadable++;
        }
        begin = end;
        text.reset();
    }

    /** The end of the last line with a line end. */
    long endOfLines() {
        return begin;
    }

    /** Ends the last line, and passes it to the reader. Returns its bytes if it is readable, and otherwise none. */
    byte[] endLastLine() {
        if (end == begin) {
            return new byte[0];
        }
        byte[] lineEnd = {'\n'};
        int before = unreadable;
        add(lineEnd, 0, 1);
        byte[] line = text.toByteArray();
        endLine();
        return unreadable == before ? line : new byte[0];
    }

    int lines() {
        return lines;
    }

    int unreadable() {
        return unreadable;
    }
}
