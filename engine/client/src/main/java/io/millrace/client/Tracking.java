// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;

/**
 * Receives invalidations of changed keys over a separate connection. For caches that keep copies of values of the
 * server. Thread-safe.
 *
 * <p>To serve a cached value: check {@link #isUpToDate}, then {@link #poll} and apply the {@linkplain #waiting waiting}
 * invalidations, then read the cached value. If several threads serve cached values, they must poll and apply under one
 * lock. Otherwise one thread can poll an invalidation, and a second thread can read the outdated value before the first
 * thread applies the invalidation.
 *
 * <p>To fill the cache: register the key before you read the value from the server. An invalidation of a registered key
 * must prevent the store, or remove the stored value. The reason: the server may report a change after its reply and
 * before the store.
 *
 * <p>Invalidations are never dropped. Waiting invalidations are merged; if the buffer cannot hold all keys, one
 * {@link Invalidation.Everything} replaces the keys. A lost connection is replaced. The loss and the replacement each
 * produce an {@link Invalidation.Everything}.
 */
public interface Tracking extends AutoCloseable {

    /**
     * Removes and returns all invalidations since the last call, merged into one. Blocks until an invalidation arrives,
     * at most for {@code timeout}. Covers keys of all databases and changes by all clients, including this client.
     *
     * @return empty if nothing was invalidated within {@code timeout}, or tracking was closed
     * @throws ConnectException if no invalidation waits and tracking has ended because the server rejects the login
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Invalidation> poll(Duration timeout);

    /** Number of invalidated keys that wait; {@link Invalidation.Everything} counts as 1. Takes no lock. */
    int waiting();

    /**
     * Whether this process has received all invalidations up to a recent time, at most twice the
     * {@linkplain TrackingOptions#pingInterval ping interval} ago. A connection may die unnoticed, or the process may
     * be suspended; this check limits how long a cached value can then be out of date. Takes no lock.
     */
    boolean isUpToDate();

    /** Stops tracking. {@link #poll} still returns waiting invalidations. */
    @Override
    void close();
}
