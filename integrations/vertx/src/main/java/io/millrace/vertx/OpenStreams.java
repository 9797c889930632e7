// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The open message streams of one {@link VertxRedis}. Thread-safe. */
final class OpenStreams {

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Set<MessageStream> streams = new HashSet<>();
    private boolean closed;

    /** Adds {@code stream}. Returns false if {@link #closeAll} was called before; the stream must then be closed. */
    boolean add(MessageStream stream) {
        lock.lock();
        try {
            return !closed && streams.add(stream);
        } finally {
            lock.unlock();
        }
    }

    void remove(MessageStream stream) {
        lock.lock();
        try {
            streams.remove(stream);
        } finally {
            lock.unlock();
        }
    }

    /** Closes all streams. Waits until their connections are closed. */
    void closeAll() {
        List<MessageStream> open;
        lock.lock();
        try {
            closed = true;
            open = List.copyOf(streams);
        } finally {
            lock.unlock();
        }
        open.forEach(MessageStream::closeBlocking);
    }
}
