// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/**
 * A task in a flow. At any time only one thread, the owner, accesses the fields of the entry. The first owner is the
 * producer that created the entry. The next owner is the worker that took the entry from the buffer. If that worker was
 * abandoned, or if no worker took the entry, the supervisor becomes the owner.
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

    /** The failure of the previous attempt; null during the first attempt. */
    @Nullable
    Throwable earlierFailure;

    Entry(T task, Producer<T> feed, boolean lastOfBatch) {
        this.task = task;
        this.producer = feed;
        this.lastOfBatch = lastOfBatch;
    }
}
