// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The body of a request. Refuses the request after a number of bytes, and after a time. */
final class LimitedBody extends ServletInputStream {

    /** A body of 1 MiB needs 0.8 Mbit/s. Tomcat ends a read that gets no byte earlier. */
    static final Duration TIME = Duration.ofSeconds(10);

    private final ServletInputStream body;
    private final int limit;
    private final LongSupplier nanoTime;
    private final long beginNanos;

    private long read;

    LimitedBody(ServletInputStream body, int limit, LongSupplier nanoTime) {
        this.body = body;
        this.limit = limit;
        this.nanoTime = nanoTime;
        this.beginNanos = nanoTime.getAsLong();
    }

    static Refusal tooLarge(int limit) {
        return new Refusal(Problem.TOO_LARGE, "The body has more than " + limit + " bytes.");
    }

    @Override
    public int read() throws IOException {
        int next = body.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = body.read(bytes, offset, length);
        count(Math.max(0, count));
        return count;
    }

    private void count(int bytes) {
        read += bytes;
        if (read > limit) {
            throw tooLarge(limit);
        }
        if (nanoTime.getAsLong() - beginNanos > TIME.toNanos()) {
            throw new Refusal(Problem.BAD_REQUEST, "The body did not arrive within " + TIME.toSeconds() + " s.");
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
