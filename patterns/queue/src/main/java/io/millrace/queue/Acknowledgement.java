// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * Tells the server how one delivery of a pending task ended.
 *
 * @param number the number of the delivery, from 1
 * @param reason the reason why the task failed or is dead-lettered. Empty for the other kinds of acknowledgements
 * @param maybeSent whether the acknowledgement was sent before and the reply was lost. In this case the first attempt
 *     may have settled the task, so the server may answer that the task is no longer pending
 */
record Acknowledgement(String id, int number, AckKind kind, String reason, boolean maybeSent) {

    Acknowledgement(String id, int number, AckKind kind, String reason) {
        this(id, number, kind, reason, false);
    }

    /** How the delivery ended. Determines what the server does with the task. */
    enum AckKind {
        /** The task succeeded. The server removes the task from the pending tasks. */
        DONE,
        /** The task failed. The task is delivered again after the lease. */
        FAILED,
        /** The task was cancelled after its start. The task is delivered again immediately. */
        CANCELLED,
        /**
         * The task was cancelled before its start. The task is delivered again immediately, and the number of
         * deliveries does not include the cancelled delivery.
         */
        NOT_STARTED,
        /** The task is dead-lettered. */
        DEAD_LETTERED
    }

    /**
     * Returns whether the source keeps the task pending until the server has settled the task. The source renews the
     * lease of its pending tasks.
     */
    boolean staysPending() {
        return kind == AckKind.DONE || kind == AckKind.DEAD_LETTERED || kind == AckKind.NOT_STARTED;
    }

    /** Returns a copy with another delivery number. The task is the same. */
    Acknowledgement withDelivery(int delivery) {
        return new Acknowledgement(id, delivery, kind, reason, maybeSent);
    }

    /** Returns a copy with {@link #maybeSent} set to true: the reply to this acknowledgement was lost. */
    Acknowledgement withLostReply() {
        return new Acknowledgement(id, number, kind, reason, true);
    }
}
