// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * The acknowledgement of a pending task, to be sent to the server.
 *
 * @param number the number of the delivery
 * @param reason why the task is dead-lettered, otherwise empty
 * @param maybeSent whether it was sent before and the reply was lost. Then a task that is no longer pending may have
 *     been settled by the first attempt
 */
record Acknowledgement(String id, int number, AckKind kind, String reason, boolean maybeSent) {

    Acknowledgement(String id, int number, AckKind kind, String reason) {
        this(id, number, kind, reason, false);
    }

    /** What the server does with the task. */
    enum AckKind {
        /** The task succeeded. The server removes it. */
        DONE,
        /** The task failed. It is delivered again after the lease. */
        FAILED,
        /** The task was cancelled after it started. It is delivered again at once. */
        CANCELLED,
        /**
         * The task was cancelled before it started. It is delivered again at once, and this delivery does not count.
         */
        NOT_STARTED,
        /** The task is dead-lettered. */
        DEAD_LETTERED
    }

    /** Returns whether the task stays pending, with its lease renewed, until the server has settled it. */
    boolean staysPending() {
        return kind == AckKind.DONE || kind == AckKind.DEAD_LETTERED || kind == AckKind.NOT_STARTED;
    }

    /** Returns a copy for another delivery of the task. */
    Acknowledgement withDelivery(int delivery) {
        return new Acknowledgement(id, delivery, kind, reason, maybeSent);
    }

    /** Returns a copy whose reply was lost. */
    Acknowledgement withLostReply() {
        return new Acknowledgement(id, number, kind, reason, true);
    }
}
