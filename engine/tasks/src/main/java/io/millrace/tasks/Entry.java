// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/**
 * A task on its way through a flow. Each time it has one owner, who alone touches its fields: the feed that made it, then the
 * worker that took it from the buffer, or the supervisor, if that worker is given up or never came.
 */
final class Entry<T> {

    static final long WITHOUT = -1;

    final T task;
    final Feed<T> feed;
    final long weight;

    /** Whether no further task of its batch comes after it. */
    final boolean lastOfBatch;

    /** Its place in the order of results, from 0; without one if they are not ordered, or the backlog did not take it. */
    long number = WITHOUT;

    int attempts;

    @Nullable
    Object result;

    /** Tasks with an equal key are done one after the other; null if it does not matter, or the key cannot be had. */
    @Nullable
    Object key;

    /** Why it has failed; set before its first attempt if its weight or its key cannot be had. */
    @Nullable
    Throwable failure;

    /** Why it failed before it was tried again. */
    @Nullable
    Throwable earlierFailure;

    Entry(T task, Feed<T> feed, long weight, boolean lastOfBatch) {
        this.task = task;
        this.feed = feed;
        this.weight = weight;
        this.lastOfBatch = lastOfBatch;
    }
}
