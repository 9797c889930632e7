// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;

/**
 * Tells the server how one attempt has ended.
 *
 * @param attempt the number of the attempt, from 1
 * @param reason why the attempt failed. Empty for the other kinds of acknowledgements
 * @param delay the time until the next attempt, for {@link AckKind#FAILED} and {@link AckKind#DIED}. Otherwise zero
 * @param maybeSent whether the acknowledgement was sent before and the reply was lost. In this case the first attempt
 *     may have been executed, so the server may answer that the worker no longer holds the job
 */
record Acknowledgement(String id, int attempt, AckKind kind, String reason, Duration delay, boolean maybeSent) {

    /** How the attempt ended. */
    enum AckKind {
        /** The job succeeded. The server removes the job. */
        DONE,
        /** The attempt failed. Another attempt follows. */
        FAILED,
        /** The job ignored its interrupt, or ended its process. This counts as a death. Another attempt follows. */
        DIED,
        /** The job moves to the dead jobs. */
        DEAD,
        /** The worker gives the job back when it is closed. The attempt does not count. */
        RETURNED,
        /** The executor rejected the job. The worker gives the job back at once. The attempt does not count. */
        REJECTED,
        /** The job waited for a place, and another worker may begin it earlier. The worker gives the job back at once. */
        NOT_BEGUN
    }

    static Acknowledgement done(TakenJob<?> job) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.DONE, "", Duration.ZERO, false);
    }

    static Acknowledgement failed(TakenJob<?> job, String reason, Duration delay) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.FAILED, DeadJob.shortened(reason), delay, false);
    }

    static Acknowledgement died(TakenJob<?> job, String reason, Duration delay) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.DIED, DeadJob.shortened(reason), delay, false);
    }

    static Acknowledgement dead(TakenJob<?> job, String reason) {
        return new Acknowledgement(
                job.id(), job.attempt(), AckKind.DEAD, DeadJob.shortened(reason), Duration.ZERO, false);
    }

    static Acknowledgement returned(TakenJob<?> job) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.RETURNED, "", Duration.ZERO, false);
    }

    static Acknowledgement rejected(TakenJob<?> job) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.REJECTED, "", Duration.ZERO, false);
    }

    static Acknowledgement notBegun(TakenJob<?> job) {
        return new Acknowledgement(job.id(), job.attempt(), AckKind.NOT_BEGUN, "", Duration.ZERO, false);
    }

    /** Returns whether the job goes back to the queue, and the attempt does not count. */
    boolean isGivenBack() {
        return switch (kind) {
            case RETURNED, REJECTED, NOT_BEGUN -> true;
            case DONE, FAILED, DIED, DEAD -> false;
        };
    }

    /** Returns a copy with another attempt number. The job is the same. */
    Acknowledgement withAttempt(int number) {
        return new Acknowledgement(id, number, kind, reason, delay, maybeSent);
    }

    /** Returns a copy with {@link #maybeSent} set to true: the reply to this acknowledgement was lost. */
    Acknowledgement withLostReply() {
        return new Acknowledgement(id, attempt, kind, reason, delay, true);
    }
}
