// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A submitted command that somebody waits for: its outcome, decided once by whoever comes first (the reader with a reply,
 * the timekeeper or the caller when time is up, the end of the connection).
 */
final class PendingCall {

    final Command<?> command;
    final long submittedNanos;
    final long deadlineNanos;

    /** Where in the connection's stream of bytes the command ends, 0 while it has no place; written under the submit lock. */
    volatile long endPosition;

    /** Its share of the bytes in flight; written by the submitting thread, before publication. */
    int units;

    private final Account account;
    private final @Nullable Consumer<PendingCall> whenEnded;
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
    /** Written by the thread that waits. */
    private volatile @Nullable Thread waiter;

    /**
     * A call that is counted in {@code account}.
     *
     * @param whenEnded started on a virtual thread of its own when the outcome is there; null if a thread waits instead
     */
    PendingCall(
            Command<?> command,
            long now,
            long deadlineNanos,
            Account account,
            @Nullable Consumer<PendingCall> whenEnded) {
        this.command = command;
        this.submittedNanos = now;
        this.deadlineNanos = deadlineNanos;
        this.account = account;
        this.whenEnded = whenEnded;
        account.submitted();
    }

    @Nullable
    Outcome outcome() {
        return outcome.get();
    }

    /** Decides the outcome, without waking anybody; false if it was decided before. */
    boolean decide(Outcome decided) {
        if (!outcome.compareAndSet(null, decided)) {
            return false;
        }
        account.ended(decided);
        return true;
    }

    /** Wakes whoever waits for the outcome. */
    void announce() {
        if (whenEnded != null) {
            Thread.ofVirtual().name("millrace-callback").start(() -> whenEnded.accept(this));
        } else {
            LockSupport.unpark(waiter);
        }
    }

    void decideAndAnnounce(Outcome decided) {
        if (decide(decided)) {
            announce();
        }
    }

    /**
     * Waits for the outcome, until the deadline at most, and decides that time is up if it must.
     *
     * @return null if the thread was interrupted first; its interrupt flag is set, and the command goes on
     */
    @Nullable
    Outcome await() {
        waiter = Thread.currentThread();
        while (true) {
            Outcome decided = outcome.get();
            if (decided != null) {
                return decided;
            }
            long nanos = deadlineNanos - System.nanoTime();
            if (nanos <= 0) {
                decide(new Outcome.TimedOut());
            } else if (Thread.currentThread().isInterrupted()) {
                return null;
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        }
    }
}
