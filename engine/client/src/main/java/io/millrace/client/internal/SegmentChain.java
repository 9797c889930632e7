// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes on their way to the socket: a chain of segments, filled at its tail by whoever encodes, sent from its head by whoever
 * writes. The two may be one thread or two; they share no lock. A segment that is sent goes back to be filled again.
 *
 * <p>What is published and unsent is part of what is in flight, so the window bounds the chain.
 */
final class SegmentChain implements RequestEncoder.Room {

    static final int SEGMENT_BYTES = 64 * 1024;

    /** The JDK keeps a direct buffer as large as a thread's largest write, for as long as the thread lives. */
    private static final int LARGEST_WRITE = 256 * 1024;

    /** Segments kept for use again; more than that come from a burst and are left to the collector. */
    private static final int KEPT_SEGMENTS = 64;

    private final ConcurrentLinkedQueue<Segment> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger freeCount = new AtomicInteger();

    /** Owner: the encoding side. */
    private Segment tail = new Segment(SEGMENT_BYTES);

    /** Owner: the writing side. */
    private Segment head = tail;

    /** Bytes of finished commands so far. Written by the encoding side. */
    private final AtomicLong published = new AtomicLong();

    /** Bytes that the transport took. Written by the writing side. */
    private final AtomicLong taken = new AtomicLong();

    /** Written by the writing side. */
    private final AtomicLong socketNanos = new AtomicLong();

    /** Encoding side: a fresh segment; what was not published of the last one moves there. */
    @Override
    public byte[] next(int bytes) {
        if (bytes == 0) {
            return tail.bytes;
        }
        Segment fresh = bytes <= SEGMENT_BYTES ? recycled() : new Segment(bytes);
        tail.followedBy(fresh);
        tail = fresh;
        return fresh.bytes;
    }

    /** Encoding side: makes the bytes of a finished command, which ends at {@code upTo} of its segment, ready to go. */
    void publish(int upTo, int length) {
        tail.publish(upTo);
        published.lazySet(published.getPlain() + length);
    }

    /** Any thread: how many bytes were published. */
    long published() {
        return published.getAcquire();
    }

    /** Any thread: how many bytes the transport took. */
    long taken() {
        return taken.get();
    }

    /** Any thread: how long the writing side was inside the transport. */
    long socketNanos() {
        return socketNanos.get();
    }

    /**
     * Writing side: one write of what is published.
     *
     * @return how many bytes the transport took; 0 if it takes none now, or nothing is there
     */
    int sendSome(Transport transport) throws IOException {
        while (true) {
            Segment segment = head;
            int count = Math.min(segment.published() - segment.sent, LARGEST_WRITE);
            if (count > 0) {
                return send(transport, segment, count);
            }
            Segment next = segment.next();
            if (next == null) {
                return 0;
            }
            // The link is set after the last publish: read again what may have been published in between.
            if (segment.published() == segment.sent) {
                head = next;
                recycle(segment);
            }
        }
    }

    private int send(Transport transport, Segment segment, int count) throws IOException {
        // What counts if the write fails: all of it, where nobody can say how much went out.
        int accounted = transport.failsWithoutSending() ? 0 : count;
        long before = System.nanoTime();
        try {
            int sent = transport.write(segment.bytes, segment.sent, count);
            segment.sent += sent;
            accounted = sent;
            return sent;
        } finally {
            taken.lazySet(taken.getPlain() + accounted);
            socketNanos.lazySet(socketNanos.getPlain() + System.nanoTime() - before);
        }
    }

    private Segment recycled() {
        Segment segment = free.poll();
        if (segment == null) {
            return new Segment(SEGMENT_BYTES);
        }
        freeCount.decrementAndGet();
        return segment;
    }

    private void recycle(Segment segment) {
        if (segment.bytes.length == SEGMENT_BYTES && freeCount.get() < KEPT_SEGMENTS) {
            segment.clear();
            freeCount.incrementAndGet();
            free.add(segment);
        }
    }
}
