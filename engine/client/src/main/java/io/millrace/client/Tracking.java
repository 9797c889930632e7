// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;

/**
 * Receives invalidations of changed keys over its own connection, for caches of server values. Thread-safe.
 *
 * <p>To serve a cached value: check {@link #isUpToDate}, then take and apply {@linkplain #waiting waiting}
 * invalidations, then read the cached value. If several threads do this, they must poll and apply under one lock.
 * Otherwise a thread can read the cache after another thread took an invalidation and before that thread applied it.
 *
 * <p>To fill the cache: before reading the value from the server, register the key, so that an invalidation received
 * from then on prevents the store or removes the value. The server may report a change between the reply and the store.
 *
 * <p>Invalidations are never dropped. Waiting invalidations are merged; if the buffer cannot hold all keys, they become
 * {@link Invalidation.Everything}. A lost connection is replaced. The loss and the replacement each produce an
 * {@link Invalidation.Everything}.
 */
public interface Tracking extends AutoCloseable {

    /**
     * Takes all invalidations since the last call, merged into one. Blocks until there is one, at most for
     * {@code timeout}. Covers keys of all databases and changes by all clients, including this client.
     *
     * @return empty if nothing was invalidated within {@code timeout}, or tracking was closed
     * @throws ConnectException if nothing waits and tracking has ended because the server rejects the login
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Invalidation> poll(Duration timeout);

    /** Number of invalidated keys that wait; 1 for {@link Invalidation.Everything}. Takes no lock. */
    int waiting();

    /**
     * Whether all invalidations have arrived that the server sent until at most twice the
     * {@linkplain TrackingOptions#pingInterval quiet time} ago. This limits how long a cached value can be out of date after a
     * connection died unnoticed or the process was suspended. Takes no lock.
     */
    boolean isUpToDate();

    /** Ends tracking. Waiting invalidations can still be taken. */
    @Override
    void close();
}
