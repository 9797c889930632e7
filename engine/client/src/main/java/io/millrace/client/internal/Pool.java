// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.RefusedException;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Dedicated connections: at most so many, opened when needed, each lent to one borrower at a time, first come, first served.
 *
 * <pre>
 *   borrower -> [places] -> idle, else an Opening -> Loan -> Lease ...
 *                                             ... Lease.close -> clean: idle, else closed -> [places]
 * </pre>
 *
 * <p>DESIGN. Any thread borrows and gives back; the permits of {@link #places} are the limit. A place is free again when its
 * connection is idle or has been closed, so there are never more connections than places. The rest may be looked at without a
 * lock. Whoever adds to one of the collections looks at {@link #closed} afterwards; whoever closes sets that first and empties
 * the collections then: so nothing outlives the pool.
 */
final class Pool {

    /** More than ever wait; together with the places still far from what a semaphore can count. */
    private static final int EVERYBODY = 1 << 30;

    private final int most;
    private final LongFunction<Opening> opener;
    private final Engine engine;
    private final long patienceNanos;
    private final Semaphore places;
    private final ConcurrentLinkedDeque<SharedConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<Opening> opening = ConcurrentHashMap.newKeySet();
    private final Set<Loan> loans = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean closed = new AtomicBoolean();

    /** Written by whoever was not let in; read by whoever opens. */
    private volatile @Nullable Refusal refusal;

    /** The server did not accept user or password: it is spared callers that ask again and again. */
    private record Refusal(ConnectException failure, long at) {}

    /** A connection that is being opened. */
    interface Opening {

        /**
         * Waits for the connection. Once.
         *
         * @throws ConnectException if there is none to be had
         */
        SharedConnection open();

        /** Ends {@link #open}, from any thread. */
        void cancel();
    }

    /** A pool of {@code most} places; {@code opener} is given the nanoseconds that opening may take. */
    Pool(Engine engine, int most, LongFunction<Opening> opener) {
        this.engine = engine;
        this.most = most;
        this.opener = opener;
        this.patienceNanos = engine.options().reconnectDelayMost().toNanos();
        this.places = new Semaphore(most, true);
    }

    /**
     * Lends a connection, and waits for one until {@code deadline}.
     *
     * @throws RefusedException if none becomes free in time
     * @throws ConnectException if a new one cannot be opened
     * @throws ConnectionLostException if the client is closed
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Lease borrow(long deadline) {
        long before = engine.now();
        try {
            if (!places.tryAcquire(deadline - before, TimeUnit.NANOSECONDS)) {
                throw exhausted(before);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failures.interruptedBorrower(engine.now() - before);
        }
        boolean lent = false;
        try {
            Lease lease = lend(takeOrOpen(deadline, before), before);
            lent = true;
            return lease;
        } finally {
            if (!lent) {
                places.release();
            }
        }
    }

    private SharedConnection takeOrOpen(long deadline, long before) {
        for (SharedConnection kept = idle.pollLast(); kept != null; kept = idle.pollLast()) {
            if (kept.isOpen()) {
                return kept;
            }
            engine.retire(kept);
        }
        return open(deadline, before);
    }

    private SharedConnection open(long deadline, long before) {
        Refusal last = refusal;
        if (last != null && engine.now() - last.at < patienceNanos) {
            throw new ConnectException(
                    last.failure.reason(),
                    last.failure.getMessage() + " So it was " + sinceMillis(last.at)
                            + " ms ago; the server is not asked again before "
                            + TimeUnit.NANOSECONDS.toMillis(patienceNanos) + " ms have passed.",
                    last.failure);
        }
        Opening attempt = opener.apply(deadline - engine.now());
        opening.add(attempt);
        try {
            if (closed.get()) {
                throw isClosed(before);
            }
            return attempt.open();
        } catch (ConnectException e) {
            if (e.reason() == ConnectException.Reason.AUTHENTICATION) {
                refusal = new Refusal(e, engine.now());
            }
            throw e;
        } finally {
            opening.remove(attempt);
        }
    }

    private Lease lend(SharedConnection connection, long before) {
        Loan loan = new Loan(this, connection);
        loans.add(loan);
        if (closed.get()) {
            loans.remove(loan);
            engine.retire(connection);
            throw isClosed(before);
        }
        return new Lease(loan, engine.options());
    }

    /** Takes back what was lent; what is not clean, or has ended, is closed. */
    void giveBack(Loan loan, boolean clean) {
        SharedConnection connection = loan.connection();
        loans.remove(loan);
        try {
            if (clean && connection.isOpen()) {
                idle.addLast(connection);
                if (closed.get()) {
                    closeIdle();
                }
            } else {
                engine.retire(connection);
            }
        } finally {
            places.release();
        }
    }

    private RefusedException exhausted(long before) {
        String longest = loans.stream()
                .min(Comparator.comparingLong(loan -> loan.since() - before))
                .map(loan -> " The longest: " + loan + ".")
                .orElse("");
        return new RefusedException("no dedicated connection became free after " + sinceMillis(before) + " ms: "
                + state() + "." + longest + " Give connections back sooner, or raise poolSize");
    }

    private ConnectionLostException isClosed(long before) {
        return new ConnectionLostException(
                "no dedicated connection after " + sinceMillis(before) + " ms: the client is closed (" + state()
                        + "). Nothing was sent",
                false);
    }

    private long sinceMillis(long before) {
        return TimeUnit.NANOSECONDS.toMillis(engine.now() - before);
    }

    private String state() {
        int active = loans.size();
        int resting = idle.size();
        return "total=" + (active + resting) + ", active=" + active + ", opening=" + opening.size() + ", idle="
                + resting + ", waiting=" + places.getQueueLength() + ", limit=" + most;
    }

    /** Closes what is idle and, naming it, what is still lent; whoever waits or opens one leaves. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        places.release(EVERYBODY);
        opening.forEach(Opening::cancel);
        closeIdle();
        loans.forEach(Loan::endWithClient);
    }

    private void closeIdle() {
        for (SharedConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            engine.retire(kept);
        }
    }
}
