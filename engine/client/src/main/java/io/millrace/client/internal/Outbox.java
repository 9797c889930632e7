// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The bytes on their way to the socket: a chain of segments, filled at its tail by the submitting side, sent from its head by
 * the connection's writer.
 *
 * <p>DESIGN. The two sides share no lock. Submitting is one side: a single thread, or several under one lock of their own.
 * It encodes into the tail, {@linkplain #publish publishes} what is finished and, when enough has come together, {@linkplain
 * #request asks} for it to be sent. The writer sends until it has sent what was asked for, taking along whatever else is
 * published by then (that is the batch), and parks. A segment that is sent goes back to be filled again.
 *
 * <p>What is published and unsent is part of what is in flight, so the window bounds the chain.
 *
 * <p>Order of the wake-up: the asking side writes {@code requested} and then reads {@code parked}; the writer writes {@code
 * parked} and then reads {@code requested}. Both fields are volatile, so one side sees the other.
 */
final class Outbox implements RequestEncoder.Room {

    static final int SEGMENT_BYTES = 64 * 1024;

    /** The JDK keeps a direct buffer as large as a thread's largest write, for as long as the thread lives. */
    private static final int LARGEST_WRITE = 256 * 1024;

    /** Segments kept for use again; more than that come from a burst and are left to the collector. */
    private static final int KEPT_SEGMENTS = 64;

    private final ConcurrentLinkedQueue<Segment> free = new ConcurrentLinkedQueue<>();
    private final AtomicLong freeCount = new AtomicLong();

    /** Owner: the submitting side. */
    private Segment tail = new Segment(SEGMENT_BYTES);

    /** Owner: the writer. */
    private Segment head = tail;

    /** Bytes of finished commands so far. Written by the submitting side. */
    private final AtomicLong published = new AtomicLong();

    /** Bytes that shall be sent without waiting for more. Never falls. */
    private final AtomicLong requested = new AtomicLong();

    /** Bytes that the transport took. Written by the writer. */
    private final AtomicLong taken = new AtomicLong();

    /** Written by the writer. */
    private final AtomicLong socketNanos = new AtomicLong();

    /** The writer while it sleeps; written by the writer. */
    private volatile @Nullable Thread parked;

    /** Set once, by whoever ends the connection. */
    private volatile boolean closed;

    /** Submitting side: a fresh segment; what was not published of the last one moves there. */
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

    /** Submitting side: makes the bytes of a finished command, which ends at {@code upTo} of its segment, ready to go. */
    void publish(int upTo, int length) {
        tail.publish(upTo);
        published.lazySet(published.getPlain() + length);
    }

    /** Submitting side: has everything published sent. */
    void request() {
        requested.set(published.getPlain());
        wakeWriter();
    }

    /** Any thread: has everything sent that is published and not asked for yet. */
    void requestStale() {
        long asked = requested.get();
        long there = published.getAcquire();
        if (there > asked && requested.compareAndSet(asked, there)) {
            wakeWriter();
        }
    }

    /** Any thread: how many bytes the transport took. */
    long taken() {
        return taken.get();
    }

    /** Any thread: how long the writer was inside the transport. */
    long socketNanos() {
        return socketNanos.get();
    }

    /** Any thread: ends {@link #sendAll}. */
    void close() {
        closed = true;
        wakeWriter();
    }

    /** The writer: sends until the outbox is closed or the transport fails. */
    void sendAll(Transport transport) throws IOException {
        while (!closed) {
            if (taken.getPlain() < requested.get()) {
                sendSome(transport);
            } else {
                awaitRequest();
            }
        }
    }

    private void sendSome(Transport transport) throws IOException {
        Segment segment = head;
        int count = Math.min(segment.published() - segment.sent, LARGEST_WRITE);
        if (count == 0) {
            Segment next = segment.next();
            // The link is set after the last publish: read again what may have been published in between.
            if (next != null && segment.published() == segment.sent) {
                head = next;
                recycle(segment);
            }
            return;
        }
        // What counts if the write fails: all of it, where nobody can say how much went out.
        int accounted = transport.failsWithoutSending() ? 0 : count;
        long before = System.nanoTime();
        try {
            int sent = transport.write(segment.bytes, segment.sent, count);
            segment.sent += sent;
            accounted = sent;
        } finally {
            taken.lazySet(taken.getPlain() + accounted);
            socketNanos.lazySet(socketNanos.getPlain() + System.nanoTime() - before);
        }
    }

    private void awaitRequest() {
        parked = Thread.currentThread();
        while (taken.getPlain() >= requested.get() && !closed) {
            LockSupport.park(this);
        }
        parked = null;
    }

    private void wakeWriter() {
        Thread writer = parked;
        if (writer != null) {
            LockSupport.unpark(writer);
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
