// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import io.millrace.client.Setting;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The body of a request. Refuses the request after a number of bytes, and after a time. Tomcat limits only the time of each
 * read, so a client that sends a byte now and then would hold its connection.
 */
final class LimitedBody extends ServletInputStream {

    private static final int DRAIN_BYTES = 8 * 1024;

    private final ServletInputStream body;
    private final int limit;
    private final Duration time;
    private final LongSupplier nanoTime;
    private final long beginNanos;

    private long read;
    /** Whether a limit was exceeded, or a read has failed. */
    private boolean refused;

    LimitedBody(ServletInputStream body, int limit, Duration time, LongSupplier nanoTime) {
        this.body = body;
        this.limit = limit;
        this.time = time;
        this.nanoTime = nanoTime;
        this.beginNanos = nanoTime.getAsLong();
    }

    static Refusal tooLarge(int limit) {
        return new Refusal(Problem.TOO_LARGE, "The body has more than " + limit + " bytes.");
    }

    @Override
    public int read() throws IOException {
        byte[] next = new byte[1];
        return read(next, 0, 1) < 0 ? -1 : next[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        refused = true; // unless the read succeeds
        int count = body.read(bytes, offset, length);
        count(Math.max(0, count));
        return count;
    }

    private void count(int bytes) {
        read += bytes;
        boolean isLarge = read > limit;
        refused = isLarge || nanoTime.getAsLong() - beginNanos > time.toNanos();
        if (isLarge) {
            throw tooLarge(limit);
        }
        if (refused) {
            throw new Refusal(
                    Problem.BAD_REQUEST, "The body did not arrive within " + Setting.Unit.TIME.text(time) + ".");
        }
    }

    boolean hasRest() {
        return !refused && !isFinished();
    }

    /** Reads the rest of the body with the same limits, and drops it. Blocks. */
    void drain() {
        byte[] dropped = new byte[DRAIN_BYTES];
        try {
            while (hasRest() && read(dropped, 0, dropped.length) >= 0) {
                // The limits end the loop.
            }
        } catch (IOException | Refusal enough) {
            // Tomcat closes the connection, because the body has not ended.
        }
    }

    @Override
    public boolean isFinished() {
        return body.isFinished();
    }

    @Override
    public boolean isReady() {
        return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        throw new IllegalStateException("a body of the server is read by the thread of its request");
    }
}
