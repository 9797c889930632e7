// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;

/**
 * Receives invalidations over a separate connection. An invalidation reports that a key on the server has changed. A
 * cache that stores copies of the server's values needs these reports to remove outdated copies. Thread-safe.
 *
 * <p>To serve a cached value, the cache takes three steps. First it checks {@link #isUpToDate}. Then it calls
 * {@link #poll} and removes the values of the invalidated keys from the cache. Then it reads the cached value. If
 * several threads serve cached values, one lock must protect the second step: polling and removing. Without the lock, a
 * second thread can read an outdated value after the first thread has polled the invalidation and before the first
 * thread removes the value.
 *
 * <p>To fill the cache, the cache first remembers the key as being loaded, then reads the value from the server, then
 * stores the value. If an invalidation of the key arrives after the first step, the cache must not store the value, or
 * must remove it. The reason: between the server's reply and the moment when the cache stores the value, the value may
 * change on the server, and the invalidation may arrive.
 *
 * <p>Invalidations are never dropped. A buffer holds the invalidated keys until the next {@link #poll}. If the buffer
 * cannot hold all keys, one {@link Invalidation.Everything} replaces the keys. The client replaces a lost connection. If
 * the server refuses the login, the client repeats the login after the longest delay.
 * Both the loss and the replacement produce an {@link Invalidation.Everything}.
 */
public interface Tracking extends AutoCloseable {

    /**
     * Removes and returns all invalidations since the last call, merged into one. Blocks until an invalidation arrives,
     * at most for {@code timeout}. The invalidations cover the keys of all databases. They cover changes by all
     * clients, including this client.
     *
     * @return empty if nothing was invalidated within {@code timeout}, or tracking was closed
     * @throws ConnectException if tracking has ended because of an internal failure, such as a lack of memory, and the
     *     buffer is empty
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Invalidation> poll(Duration timeout);

    /** Number of invalidated keys in the buffer; {@link Invalidation.Everything} counts as 1. Takes no lock. */
    int waiting();

    /**
     * Whether the invalidations are recent enough to serve cached values. True means: this process has received all
     * invalidations that the server sent until a certain time, and that time is at most two
     * {@linkplain TrackingOptions#pingInterval ping intervals} ago. The result is false, for example, after the process
     * was suspended, or after the connection has failed and the operating system did not report the failure. So the
     * check limits how long a cached value can be out of date. Takes no lock.
     */
    boolean isUpToDate();

    /** Stops tracking. {@link #poll} still returns the invalidations in the buffer. */
    @Override
    void close();
}
