// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One call of a loader: its permit, and the calls that its loader waits for. All loads of a bulk load share one call.
 * Thread-safe.
 *
 * <p>DESIGN. A loader may look up other keys, in this cache or in another cache. Its call then holds a permit and waits
 * for other calls. If these other calls also needed permits, loaders that hold all permits could wait for each other
 * until their deadlines. So a waiting call lends its permit to the call that it waits for:
 *
 * <pre>
 *   outer call   HELD ---- waits for inner, and so runs nothing ---- HELD
 *   inner call          WAITING -> LENT: runs with the outer permit -> NONE
 * </pre>
 *
 * <p>The permit is lent at the moment of the wait, not when the inner load starts. So it does not matter which caller
 * has started the inner load. A call has one permit, so it makes one loan at a time: asynchronous lookups of a loader,
 * which wait at the same time, get the loan one after another. No loan is left after the end of the call. If the outer
 * caller leaves before the inner call has ended, the inner call gets a permit of the cache of its key, even if the
 * limit is then exceeded by one.
 *
 * <p>A call that waits for itself through other calls would never end. Each call publishes the calls that it waits for,
 * and then searches this graph for itself. If two calls begin to wait for each other at the same time, at least one of
 * the searches finds the cycle.
 */
final class LoaderCall {

    /** The state of the permit of a call. */
    enum Permit {
        NONE,
        /** The call waits in the queue for permits. */
        WAITING,
        HELD,
        /** The call runs with the permit of a call that waits for this call. */
        LENT
    }

    /** The call whose loader runs on the current thread; null on other threads. */
    private static final ThreadLocal<@Nullable LoaderCall> CURRENT = new ThreadLocal<>();

    // The lock of the LoadPermits guards the next three fields.
    Permit permit = Permit.NONE;

    /** Number of callers that wait for this call and lend their permits. */
    int lenders;

    /** Opened when a waiting call gets its permit. */
    CountDownLatch granted = new CountDownLatch(0);

    /** The calls that this call waits for, and the number of waits for each of them. */
    private final Map<LoaderCall, Integer> awaited = new ConcurrentHashMap<>();

    /** Guards the next three fields. Taken before the lock of a {@link LoadPermits}. */
    private final ReentrantLock loanLock = new ReentrantLock();

    /** The loan in use; null if there is none. */
    private @Nullable Loan current;

    /** Loans that wait for the end of the current loan. */
    private final Deque<Loan> waiting = new ArrayDeque<>();

    private boolean ended;

    /**
     * The permit of a call, lent to another call, or the request for it. Two loans are equal only if they are the same
     * object.
     */
    static final class Loan {

        private final LoadPermits permits;
        private final LoaderCall borrower;

        private Loan(LoadPermits permits, LoaderCall borrower) {
            this.permits = permits;
            this.borrower = borrower;
        }
    }

    /** Returns the call whose loader runs on the current thread; null if there is none. */
    static @Nullable LoaderCall current() {
        return CURRENT.get();
    }

    /** Runs {@code loader} on the current thread as a part of this call. */
    <T> T run(Callable<T> loader) throws Exception {
        LoaderCall outer = CURRENT.get(); // not null if the executor runs a load on the thread of another loader
        CURRENT.set(this);
        try {
            return loader.call();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * Records that this call waits for {@code other}, until {@link #endWait}. Returns false, and records nothing, if
     * {@code other} waits for this call.
     */
    boolean tryBeginWait(LoaderCall other) {
        awaited.merge(other, 1, Integer::sum);
        if (other.reaches(this)) {
            endWait(other);
            return false;
        }
        return true;
    }

    void endWait(LoaderCall other) {
        awaited.merge(other, -1, Integer::sum);
        awaited.remove(other, 0); // only if no other wait is left
    }

    /** Whether this call is {@code target}, or waits for {@code target} directly or through other calls. */
    private boolean reaches(LoaderCall target) {
        Set<LoaderCall> seen = new HashSet<>();
        Deque<LoaderCall> open = new ArrayDeque<>();
        open.push(this);
        while (!open.isEmpty()) {
            LoaderCall next = open.pop();
            if (next == target) {
                return true;
            }
            if (seen.add(next)) {
                open.addAll(next.awaited.keySet());
            }
        }
        return false;
    }

    /**
     * Lends the permit of this call to {@code borrower}, until {@link #endLoan}. If the permit is lent already, the
     * loan begins when the earlier loans have ended. Does nothing if this call has ended.
     *
     * @param permits the permits of the cache of {@code borrower}
     */
    Loan beginLoan(LoadPermits permits, LoaderCall borrower) {
        Loan loan = new Loan(permits, borrower);
        loanLock.lock();
        try {
            if (!ended) {
                waiting.add(loan);
                lendNext();
            }
        } finally {
            loanLock.unlock();
        }
        return loan;
    }

    /** Takes the permit back, and lends it to the next waiting loan. A second call has no effect. */
    void endLoan(Loan loan) {
        loanLock.lock();
        try {
            if (current == loan) {
                takeBack(loan);
                lendNext();
            } else {
                waiting.remove(loan);
            }
        } finally {
            loanLock.unlock();
        }
    }

    /** Ends all loans, because the loader has returned or gives its permit back. No loan begins after this call. */
    void end() {
        loanLock.lock();
        try {
            ended = true;
            waiting.clear();
            if (current != null) {
                takeBack(current);
            }
        } finally {
            loanLock.unlock();
        }
    }

    /** The caller must hold the lock of the loans. */
    private void lendNext() {
        Loan next = current == null ? waiting.poll() : null;
        if (next != null) {
            current = next;
            next.permits.lend(next.borrower);
        }
    }

    /** The caller must hold the lock of the loans. */
    private void takeBack(Loan loan) {
        current = null;
        loan.permits.endLending(loan.borrower);
    }
}
