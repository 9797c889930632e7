// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

/** Where pipelines and transactions go: a shared connection, or a dedicated one for as long as it is lent. */
interface SubmissionSink {

    /** The time by the client's clock. */
    long now();

    /**
     * Submits; without a place until the deadline, or at once where that was asked for, it ends as refused.
     *
     * @throws IllegalStateException if the connection was given back
     */
    void submit(Submission submission);
}
