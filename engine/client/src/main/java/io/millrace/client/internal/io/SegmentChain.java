// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import io.millrace.client.internal.connect.Transport;
import io.millrace.resp.RequestEncoder;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A chain of segments with outgoing bytes. The encoding thread fills the segment at the tail, and the writing thread
 * sends from the segment at the head. Both may be the same thread; they share no lock. A segment is reused when all its
 * bytes are sent.
 *
 * <p>Published bytes that are not sent count as bytes in flight, so the window limits the length of the chain.
 */
public final class SegmentChain implements RequestEncoder.BufferSupplier {

    public static final int SEGMENT_BYTES = 64 * 1024;

    /**
     * Maximum bytes per write. The JDK keeps a direct buffer for each thread until the thread ends. The buffer is as
     * large as the largest write of the thread.
     */
    private static final int LARGEST_WRITE = 256 * 1024;

    /**
     * Maximum number of segments kept for reuse. More segments exist after a burst; the garbage collector removes them.
     */
    private static final int KEPT_SEGMENTS = 64;

    private final LongSupplier clock;
    private final ConcurrentLinkedQueue<Segment> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger freeCount = new AtomicInteger();

    /** The segment that is being filled. Owned by the encoding side. */
    private Segment tail = new Segment(SEGMENT_BYTES);

    /** The segment that is being sent. Owned by the writing side. */
    private Segment head = tail;

    /** Number of bytes that were published since the chain was created. Written by the encoding side. */
    private final AtomicLong published = new AtomicLong();

    /** Number of bytes that the transport has accepted. Written by the writing side. */
    private final AtomicLong taken = new AtomicLong();

    /** Time spent in writes to the transport. Written by the writing side. */
    private final AtomicLong socketNanos = new AtomicLong();

    /**
     * Creates an empty chain.
     *
     * @param clock nanoseconds that never decrease
     */
    public SegmentChain(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Encoding side: returns the array of a new segment. The encoder moves the unpublished bytes of the last segment
     * there.
     */
    @Override
    public byte[] nextBuffer(int bytes) {
        if (bytes == 0) {
            return tail.bytes;
        }
        Segment fresh = bytes <= SEGMENT_BYTES ? recycled() : new Segment(bytes);
        tail.followedBy(fresh);
        tail = fresh;
        return fresh.bytes;
    }

    /** Encoding side: publishes the bytes of a finished command, which ends at {@code upTo} of its segment. */
    public void publish(int upTo, int length) {
        tail.publish(upTo);
        published.lazySet(published.getPlain() + length);
    }

    /** Any thread: number of bytes published. */
    public long published() {
        return published.getAcquire();
    }

    /** Any thread: number of bytes that the transport has accepted. */
    public long taken() {
        return taken.get();
    }

    /** Any thread: time that the writing side spent in the transport. */
    long socketNanos() {
        return socketNanos.get();
    }

    /**
     * Writing side: writes published bytes once.
     *
     * @return number of bytes that the transport accepted; 0 if it accepts none now, or no bytes are published
     */
    public int sendSome(Transport transport) throws IOException {
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
            // The encoding thread publishes its last bytes to a segment before it links the next segment. Check again,
            // because bytes may have been published after the first check.
            if (segment.published() == segment.sent) {
                head = next;
                recycle(segment);
            }
        }
    }

    private int send(Transport transport, Segment segment, int count) throws IOException {
        // The number of bytes that count as sent if the write fails. All bytes of the write count, unless the transport
        // guarantees that none were sent.
        int accounted = transport.failedWriteSendsNothing() ? 0 : count;
        long before = clock.getAsLong();
        try {
            int sent = transport.write(segment.bytes, segment.sent, count);
            segment.sent += sent;
            accounted = sent;
            return sent;
        } finally {
            taken.lazySet(taken.getPlain() + accounted);
            socketNanos.lazySet(socketNanos.getPlain() + clock.getAsLong() - before);
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
