// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Optional;

/**
 * News of changed keys, over a connection of its own: for those who keep copies of values and want them true. Thread-safe.
 *
 * <p>To serve a copy, ask {@link #isEstablished} first, then take what {@linkplain #waiting waits} and act on it, then look for
 * the copy. With several threads nobody may look while another has taken something and not acted on it yet, though nothing waits
 * any more: poll and act under a lock, and have those wait for it that come meanwhile. To make one, be sure before the value is read that whatever is told from then on will prevent it, or remove it:
 * a change may be told between a reply and its being kept.
 *
 * <p>Nothing is ever dropped: what waits is added up, and where there is no room for all keys the sum is
 * {@link Invalidation.Everything}. A lost connection is replaced; that, too, is everything, once when it is lost and
 * once when it is back.
 */
public interface Tracking extends AutoCloseable {

    /**
     * Takes all that has been invalidated since this was last asked, as one; waits for it. Keys of any database and of all
     * writers are told, this client's own included.
     *
     * @return empty if nothing was invalidated within {@code timeout}, or tracking was closed
     * @throws ConnectException if nothing waits, and tracking has ended because the server does not let us in any more
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Invalidation> poll(Duration timeout);

    /** How many keys wait to be taken; 1 if it is everything. Takes no lock. */
    int waiting();

    /**
     * Whether all that the server has told until a short while ago has come, where a short while is at most twice the
     * {@linkplain TrackingOptions#quiet quiet time}. So with a connection that has died unnoticed, or a process that was
     * suspended, a copy is out of date for no longer than that. Takes no lock.
     */
    boolean isEstablished();

    /** Ends tracking. What waits can still be taken. */
    @Override
    void close();
}
