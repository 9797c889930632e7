// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Overflow;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import java.util.Objects;

/**
 * Decides whether a connection may accept a submission now: whether the limit of running callbacks allows it, and
 * whether permits of the window are free. Waits or refuses, as the {@linkplain Overflow policy} of the client requires.
 * Used by the threads that submit.
 */
final class Admission {

    private final SharedConnection connection;
    private final Window window;
    private final Overflow overflow;

    Admission(SharedConnection connection, Window window) {
        this.connection = connection;
        this.window = window;
        this.overflow = connection.options().overflow();
    }

    /** Acquires the permits for {@code submission}. Returns false if the limits do not allow it before its deadline. */
    boolean admit(CallerSubmission submission) {
        CallbackSlots slots = submission.callbackSlots();
        return (slots == null || !slots.isFull() || awaitCallbacks(slots, submission))
                && acquire(submission, submission.commands());
    }

    private boolean awaitCallbacks(CallbackSlots slots, CallerSubmission submission) {
        connection.wire().ensureReaderUnless(null);
        return slots.accepts(overflow, submission.deadlineNanos - connection.now());
    }

    /** Acquires the permits for {@code commands} of {@code submission}, without regard to the limit of callbacks. */
    boolean acquire(CallerSubmission submission, int commands) {
        long cost = window.cost(commands, submission.encodedBytes());
        if (!window.tryAcquire(cost) && !await(window, cost, submission)) {
            return false;
        }
        submission.cost = cost;
        return true;
    }

    /**
     * Releases the permits of {@code submission}, and adds it to the fence of its slot. If the limit of fences does not allow this
     * before the deadline, refuses the submission.
     */
    void waitInFence(CallerSubmission submission, Route route) {
        window.release(submission.cost);
        submission.cost = 0;
        Window fences = route.fenceWindow().window();
        long cost = fences.cost(submission.commands(), submission.encodedBytes());
        if (fences.tryAcquire(cost) || await(fences, cost, submission)) {
            submission.hops().waitsWith(route.fenceWindow(), cost);
            route.waits(submission);
        } else {
            refuse(submission);
        }
    }

    private boolean await(Window limit, long cost, CallerSubmission submission) {
        if (overflow == Overflow.REFUSE) {
            return false;
        }
        // A caller that waits for a permit does not read, so the reader must read.
        connection.wire().ensureReaderUnless(null);
        FlightRecorderEvents.Stall stall = FlightRecorderEvents.beginStall();
        try {
            return limit.acquire(cost, submission.deadlineNanos - connection.now());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            if (stall != null) {
                stall.ended(connection.name());
            }
        }
    }

    /**
     * Acquires the permits for a submission that its route has kept, also from the reserve of the window. The stats of this
     * connection count the submission from now on. Does not wait.
     *
     * @return false if there is no free permit
     */
    boolean takeOver(CallerSubmission submission) {
        long cost = window.cost(submission.commands(), submission.encodedBytes());
        if (!window.tryAcquireReserved(cost)) {
            return false;
        }
        submission.cost = cost;
        SharedConnection before = Objects.requireNonNull(submission.connection);
        if (!connection.equals(before)) {
            connection.counters().countSubmitted(submission.commands());
            before.counters().countSubmitted(-submission.commands());
            submission.connection = connection;
        }
        submission.hops().releaseFencePermits();
        submission.hops().setAway(false);
        return true;
    }

    /** Ends a submission that was not admitted. */
    void refuse(CallerSubmission submission) {
        FlightRecorderEvents.reportRefusal(connection.name(), submission.commands());
        submission.failsIn(connection.timeouts().state(submission));
        submission.endUnsubmitted(Outcomes.REFUSED, connection.counters());
        if (connection.now() - submission.deadlineNanos >= 0) {
            connection.timeouts().report(submission, Outcomes.REFUSED);
        }
    }
}
