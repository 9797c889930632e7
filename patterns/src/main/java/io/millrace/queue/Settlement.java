// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * What the queue is to be told of a task that this consumer had in hand.
 *
 * @param number which delivery of it this was
 * @param reason why it is put aside; otherwise empty
 * @param maybeTold whether the queue was told before, and the answer was lost: so that the task is not in hand any more says nothing
 */
record Settlement(String id, int number, Fate fate, String reason, boolean maybeTold) {

    Settlement(String id, int number, Fate fate, String reason) {
        this(id, number, fate, reason, false);
    }

    /** What becomes of the task. */
    enum Fate {
        /** It was done: the queue forgets it. */
        DONE,
        /** It failed: it is delivered again, after the lease. */
        FAILED,
        /** It was begun and then stopped: it is delivered again at once. */
        STOPPED,
        /** It was never begun: it is delivered again at once, as if it had not been delivered. */
        UNTOUCHED,
        /** It is put aside. */
        DEAD
    }

    /** Whether it stays in hand until the queue has been told. */
    boolean holds() {
        return fate == Fate.DONE || fate == Fate.DEAD || fate == Fate.UNTOUCHED;
    }

    /** The same for another delivery of the task. */
    Settlement of(int delivery) {
        return new Settlement(id, delivery, fate, reason, maybeTold);
    }

    /** The same, after its answer was lost. */
    Settlement inDoubt() {
        return new Settlement(id, number, fate, reason, true);
    }
}
