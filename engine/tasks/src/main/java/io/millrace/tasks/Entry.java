// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/**
 * A task in a flow. At any time one owner accesses its fields: first the producer that created it, then the worker that
 * took it from the buffer. The supervisor is the owner if that worker was abandoned or no worker took the task.
 */
final class Entry<T> {

    static final long UNNUMBERED = -1;

    final T task;
    final Producer<T> producer;

    /** Whether this is the last task of its batch. */
    final boolean lastOfBatch;

    /**
     * Position in the order of results, from 0; {@link #UNNUMBERED} if results are not ordered or the backlog refused
     * the task.
     */
    long number = UNNUMBERED;

    int attempts;

    @Nullable
    Object result;

    /** Tasks with equal keys run one at a time. Null if the flow has no keys or the key could not be computed. */
    @Nullable
    Object key;

    /**
     * The failure of the last attempt. Also set, before the first attempt, if the key could not be computed or
     * compared.
     */
    @Nullable
    Throwable failure;

    /** The failure of the attempt before the current one. */
    @Nullable
    Throwable earlierFailure;

    Entry(T task, Producer<T> feed, boolean lastOfBatch) {
        this.task = task;
        this.producer = feed;
        this.lastOfBatch = lastOfBatch;
    }
}
