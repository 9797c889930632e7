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

    /** Tasks with an equal key are done one after the other; null if it does not matter. */
    final @Nullable Object key;

    /** Whether no further task of its batch comes after it. */
    final boolean lastOfBatch;

    /** Its place in the order of results, from 0; without one if they are not ordered, or the backlog did not take it. */
    long number = WITHOUT;

    int attempts;

    @Nullable
    Object result;

    @Nullable
    Throwable failure;

    Entry(T task, Feed<T> feed, long weight, @Nullable Object key, boolean lastOfBatch) {
        this.task = task;
        this.feed = feed;
        this.weight = weight;
        this.key = key;
        this.lastOfBatch = lastOfBatch;
    }
}
