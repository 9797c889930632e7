// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Outcome;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Remembers whether Redis answers. After {@link #FAILURES} consecutive failures the circuit is open: the cache sends no
 * reads, so its callers do not wait for a server that does not answer. While the circuit is open, one command at a time
 * is sent as a probe. The first reply closes the circuit. Thread-safe.
 *
 * <p>DESIGN. {@link io.millrace.client.resilience.CircuitBreaker} takes a lock for each command, and throws an exception
 * for each command that it refuses. The path of a cache hit takes no lock. So this class has one counter: a hit reads
 * the counter twice, and writes only after a failure. A probe costs no caller any time, because a separate thread or the
 * thread of a load sends the probe. So the circuit may open early and needs no settings: the cache uses Redis again
 * within one round trip and one pause.
 */
final class RedisCircuit {

    /** A single timeout may be a pause of the server, and two commands may wait for the same reply. */
    static final int FAILURES = 3;

    /** Pause between two probes. A server that refuses connections then gets at most ten probes a second. */
    private static final long PROBE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Errors by which a server says that it cannot serve reads now. {@code READONLY} is not in the set. */
    private static final Set<String> UNAVAILABLE = Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN");

    private final String cacheName;
    private final LongSupplier clock;

    /** Number of failures since the last reply. */
    private final AtomicInteger failures = new AtomicInteger();

    private final AtomicBoolean probing = new AtomicBoolean();

    /** Time from which the next probe may begin. Written when the circuit opens, and by the thread of each probe. */
    private volatile long nextProbeNanos;

    RedisCircuit(String cacheName, LongSupplier clock) {
        this.cacheName = cacheName;
        this.clock = clock;
        this.nextProbeNanos = clock.getAsLong();
    }

    /** Whether Redis does not answer, so that only probes may be sent. */
    boolean isOpen() {
        return failures.get() >= FAILURES;
    }

    /** Records a reply. */
    void succeeded() {
        if (failures.get() != 0 && failures.getAndSet(0) >= FAILURES) {
            commitEvent(false);
        }
    }

    /** Records the failure of a command that had at least half of the Redis timeout. */
    void failed(RedisException failure) {
        switch (failure) {
            case ConnectException ignored -> countFailure();
            case ConnectionLostException ignored -> countFailure();
            case TimedOutException ignored -> countFailure();
            case ErrorReplyException reply -> countReply(reply.code());
            // The window stayed full, because the server did not answer earlier commands in time.
            case RefusedException ignored -> countFailure();
            case UnexpectedReplyException ignored -> succeeded();
            // The caller has left. This says nothing about the server.
            case InterruptedCommandException ignored -> {}
        }
    }

    /** Records the outcome of a command that had at least half of the Redis timeout. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ignored -> succeeded();
            case Outcome.Failed(var error) -> countReply(error.code());
            case Outcome.TimedOut ignored -> countFailure();
            case Outcome.Lost ignored -> countFailure();
            case Outcome.Refused ignored -> countFailure();
        }
    }

    private void countReply(String errorCode) {
        if (UNAVAILABLE.contains(errorCode)) {
            countFailure();
        } else {
            succeeded();
        }
    }

    private void countFailure() {
        // The counter stops at the limit, so it never overflows.
        if (failures.get() < FAILURES && failures.incrementAndGet() == FAILURES) {
            nextProbeNanos = clock.getAsLong();
            commitEvent(true);
        }
    }

    /**
     * Whether the caller may send a probe now. If so, the caller must call {@link #endProbe} after the outcome of the
     * probe.
     */
    boolean tryBeginProbe() {
        return clock.getAsLong() - nextProbeNanos >= 0 && probing.compareAndSet(false, true);
    }

    /** Ends a probe and begins the pause before the next probe. */
    void endProbe() {
        nextProbeNanos = clock.getAsLong() + PROBE_PAUSE_NANOS;
        probing.set(false);
    }

    private void commitEvent(boolean open) {
        CacheEvents.CacheCircuit event = new CacheEvents.CacheCircuit();
        if (event.shouldCommit()) {
            event.cache = cacheName;
            event.open = open;
            event.commit();
        }
    }
}
