// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * The acknowledgement of a pending task, to be sent to the server.
 *
 * @param number the number of the delivery
 * @param reason why the task failed or is dead-lettered; otherwise empty
 * @param maybeSent whether the acknowledgement was sent before and its reply was lost. If the task is then no longer
 *     pending, the first attempt may have settled the task
 */
record Acknowledgement(String id, int number, AckKind kind, String reason, boolean maybeSent) {

    Acknowledgement(String id, int number, AckKind kind, String reason) {
        this(id, number, kind, reason, false);
    }

    /** What the server does with the task. */
    enum AckKind {
        /** The task succeeded. The server removes the task from the pending tasks. */
        DONE,
        /** The task failed. The task is delivered again after the lease. */
        FAILED,
        /** The task was cancelled after its start. The task is delivered again at once. */
        CANCELLED,
        /**
         * The task was cancelled before its start. The task is delivered again at once, and this delivery is not
         * included in the number of deliveries.
         */
        NOT_STARTED,
        /** The task is dead-lettered. */
        DEAD_LETTERED
    }

    /** Returns whether the task stays pending, with its lease renewed, until the server has settled the task. */
    boolean staysPending() {
        return kind == AckKind.DONE || kind == AckKind.DEAD_LETTERED || kind == AckKind.NOT_STARTED;
    }

    /** Returns a copy for another delivery of the task. */
    Acknowledgement withDelivery(int delivery) {
        return new Acknowledgement(id, delivery, kind, reason, maybeSent);
    }

    /** Returns a copy that records the loss of its reply. */
    Acknowledgement withLostReply() {
        return new Acknowledgement(id, number, kind, reason, true);
    }
}
