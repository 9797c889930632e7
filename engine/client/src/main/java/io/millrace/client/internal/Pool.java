// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.RefusedException;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Dedicated connections: at most so many, opened when needed, each lent to one borrower at a time, first come, first served.
 * Any thread borrows and gives back; the permits of {@link #places} are the limit, and everything else may be looked at
 * without a lock.
 */
final class Pool {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    /** Notices borrowed connections that nobody can give back any more. */
    private static final Cleaner CLEANER = Cleaner.create();

    private static final StackWalker STACK = StackWalker.getInstance();

    private final int most;
    private final Function<String, SharedConnection> opener;
    private final Engine engine;
    private final Semaphore places;
    private final ConcurrentLinkedDeque<SharedConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<Loan> loans = ConcurrentHashMap.newKeySet();
    private final AtomicInteger opened = new AtomicInteger();

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    Pool(Engine engine, int most, Function<String, SharedConnection> opener) {
        this.engine = engine;
        this.most = most;
        this.opener = opener;
        this.places = new Semaphore(most, true);
    }

    /** What is known of a connection that is lent. */
    final class Loan implements Runnable {

        private final SharedConnection connection;
        private final String thread = Thread.currentThread().getName();
        private final String place;
        private final long since = engine.now();
        private final AtomicBoolean over = new AtomicBoolean();

        private Loan(SharedConnection connection) {
            this.connection = connection;
            this.place = STACK.walk(frames -> frames.filter(
                            frame -> !frame.getClassName().startsWith("io.millrace.client."))
                    .findFirst()
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                    .orElse("unknown"));
        }

        SharedConnection connection() {
            return connection;
        }

        /** The borrower gives it back. */
        void end(boolean clean) {
            if (over.compareAndSet(false, true)) {
                giveBack(this, clean);
            }
        }

        /** The borrower is gone without having given it back. */
        @Override
        public void run() {
            if (over.compareAndSet(false, true)) {
                LOG.log(
                        Level.WARNING,
                        "a dedicated connection was never given back: " + this + ". Close what you borrow");
                giveBack(this, false);
            }
        }

        @Override
        public String toString() {
            return "borrowed by thread \"" + thread + "\" at " + place + " "
                    + TimeUnit.NANOSECONDS.toMillis(engine.now() - since) + " ms ago";
        }
    }

    /**
     * Lends a connection, and waits for one until {@code deadline}.
     *
     * @throws RefusedException if none becomes free in time
     * @throws io.millrace.client.ConnectException if a new one cannot be opened
     * @throws io.millrace.client.InterruptedCommandException if the thread is interrupted while it waits
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
            Lease lease = lend(takeOrOpen());
            lent = true;
            return lease;
        } finally {
            if (!lent) {
                places.release();
            }
        }
    }

    private SharedConnection takeOrOpen() {
        for (SharedConnection kept = idle.pollLast(); kept != null; kept = idle.pollLast()) {
            if (kept.isOpen()) {
                return kept;
            }
            engine.retire(kept);
        }
        engine.refuseIfClosed();
        return opener.apply("pool-" + opened.incrementAndGet());
    }

    private Lease lend(SharedConnection connection) {
        Loan loan = new Loan(connection);
        loans.add(loan);
        Lease lease = new Lease(loan, engine.options());
        CLEANER.register(lease, loan);
        return lease;
    }

    private void giveBack(Loan loan, boolean clean) {
        SharedConnection connection = loan.connection;
        if (clean && connection.isOpen() && connection.isIdle() && !closed) {
            idle.addLast(connection);
            if (closed) {
                closeIdle();
            }
        } else {
            engine.retire(connection);
        }
        loans.remove(loan);
        places.release();
    }

    private RefusedException exhausted(long before) {
        String longest = loans.stream()
                .min(Comparator.comparingLong(loan -> loan.since))
                .map(loan -> " The longest: " + loan + ".")
                .orElse("");
        return new RefusedException("no dedicated connection became free after "
                + TimeUnit.NANOSECONDS.toMillis(engine.now() - before) + " ms: " + state() + "." + longest
                + " Give connections back sooner, or raise poolSize");
    }

    String state() {
        int active = loans.size();
        int waiting = places.getQueueLength();
        int resting = idle.size();
        return "total=" + (active + resting) + ", active=" + active + ", idle=" + resting + ", waiting=" + waiting
                + ", limit=" + most;
    }

    /** Closes what is idle, names what is still lent, and closes that too. */
    void close() {
        closed = true;
        closeIdle();
        for (Loan loan : loans) {
            LOG.log(Level.WARNING, "a dedicated connection is closed with its client: " + loan);
            loan.connection.close();
        }
    }

    private void closeIdle() {
        for (SharedConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            engine.retire(kept);
        }
    }
}
