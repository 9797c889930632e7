// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * What the queue is to be told of a task that this consumer had in hand.
 *
 * @param number which delivery of it this was
 * @param reason why it is put aside; otherwise empty
 */
record Settlement(String id, int number, Fate fate, String reason) {

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
        return fate == Fate.DONE || fate == Fate.DEAD;
    }
}
