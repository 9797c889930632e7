// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a bulk connection on their way to the socket, from its owner to its writer.
 *
 * <p>DESIGN. The two sides share no lock. The owner encodes into the {@linkplain SegmentChain chain}, {@linkplain #publish
 * publishes} what is finished and, when enough has come together, {@linkplain #request asks} for it to be sent. The writer
 * sends until it has sent what was asked for, taking along whatever else is published by then (that is the batch), and parks.
 *
 * <p>Order of the wake-up: the asking side writes {@code requested} and then reads {@code parked}; the writer writes {@code
 * parked} and then reads {@code requested}. Both fields are volatile, so one side sees the other.
 */
final class Outbox implements RequestEncoder.Room {

    private final SegmentChain chain = new SegmentChain();

    /** Bytes that shall be sent without waiting for more. Never falls. */
    private final AtomicLong requested = new AtomicLong();

    /** The writer while it sleeps; written by the writer. */
    private volatile @Nullable Thread parked;

    /** Set once, by whoever ends the connection. */
    private volatile boolean closed;

    @Override
    public byte[] next(int bytes) {
        return chain.next(bytes);
    }

    /** Owner: makes the bytes of a finished command, which ends at {@code upTo} of its array, ready to go. */
    void publish(int upTo, int length) {
        chain.publish(upTo, length);
    }

    /** Owner: has everything published sent. */
    void request() {
        requested.set(chain.published());
        wakeWriter();
    }

    /** Any thread: has everything sent that is published and not asked for yet. */
    void requestStale() {
        long asked = requested.get();
        long there = chain.published();
        if (there > asked && requested.compareAndSet(asked, there)) {
            wakeWriter();
        }
    }

    /** Any thread: how many bytes the transport took. */
    long taken() {
        return chain.taken();
    }

    /** Any thread: how long the writer was inside the transport. */
    long socketNanos() {
        return chain.socketNanos();
    }

    /** Any thread: ends {@link #sendAll}. */
    void close() {
        closed = true;
        wakeWriter();
    }

    /** The writer: sends until the outbox is closed or the transport fails. */
    void sendAll(Transport transport) throws IOException {
        while (!closed) {
            if (chain.taken() < requested.get()) {
                chain.sendSome(transport);
            } else {
                awaitRequest();
            }
        }
    }

    private void awaitRequest() {
        parked = Thread.currentThread();
        while (chain.taken() >= requested.get() && !closed) {
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
}
