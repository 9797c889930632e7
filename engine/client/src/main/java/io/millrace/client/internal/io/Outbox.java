// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import io.millrace.client.internal.connect.Transport;
import io.millrace.resp.RequestEncoder;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The buffer of a bulk connection between its owner, which encodes bytes, and its writer thread, which sends them.
 *
 * <p>DESIGN. The two sides share no lock. The owner encodes into the {@linkplain SegmentChain chain}, {@linkplain
 * #publish publishes} finished commands and, when enough bytes are published, {@linkplain #request requests} the write.
 * The writer sends published bytes, whether they are requested or not. The writer parks when it has sent all requested
 * bytes. The bytes that it sends between two parks form a batch.
 *
 * <p>No wake-up is missed. The requesting thread writes {@code requested} and then reads {@code parked}. The writer
 * writes {@code parked} and then reads {@code requested}. Both fields are volatile, so at least one of the two threads
 * sees the write of the other thread.
 */
public final class Outbox implements RequestEncoder.BufferSupplier {

    private final SegmentChain chain;

    /** The writer must not park before it has sent this number of bytes in total. Never decreases. */
    private final AtomicLong requested = new AtomicLong();

    /** The writer thread while it is parked or about to park; otherwise null. Written by the writer. */
    private volatile @Nullable Thread parked;

    /** Set to true by the thread that ends the connection; never reset. */
    private volatile boolean closed;

    /**
     * Creates an empty outbox.
     *
     * @param clock nanoseconds that never decrease
     */
    public Outbox(LongSupplier clock) {
        this.chain = new SegmentChain(clock);
    }

    @Override
    public byte[] nextBuffer(int bytes) {
        return chain.nextBuffer(bytes);
    }

    /** Owner: publishes the bytes of a finished command, which end at offset {@code upTo} of the array. */
    public void publish(int upTo, int length) {
        chain.publish(upTo, length);
    }

    /** Owner: requests that all published bytes are sent. */
    public void request() {
        requested.set(chain.published());
        wakeWriter();
    }

    /** Any thread: if some published bytes are not requested yet, requests that all published bytes are sent. */
    public void requestStale() {
        long asked = requested.get();
        long there = chain.published();
        if (there > asked && requested.compareAndSet(asked, there)) {
            wakeWriter();
        }
    }

    /** Any thread: number of bytes that the transport has accepted. */
    public long taken() {
        return chain.taken();
    }

    /** Any thread: time that the writer spent in the transport. */
    public long socketNanos() {
        return chain.socketNanos();
    }

    /** Any thread: makes {@link #sendAll} return. */
    void close() {
        closed = true;
        wakeWriter();
    }

    /** Writer: sends until the outbox is closed or the transport fails. */
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
