// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

/** The target of pipelines and transactions: a shared connection, or a dedicated one while it is borrowed. */
public interface SubmissionTarget {

    /** The time of the client's clock. */
    long now();

    /**
     * Submits. If there is no permit until the deadline, the submission ends as refused; with {@code Overflow.REFUSE}
     * it ends so at once.
     *
     * @throws IllegalStateException if the connection was returned to the pool
     */
    void submit(Submission submission);
}
