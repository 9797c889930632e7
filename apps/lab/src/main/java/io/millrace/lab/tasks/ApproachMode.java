// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.Locale;

/**
 * The approaches: the seven of the reference measurement in their order, and four more. Each approach has the same
 * limits in every library.
 *
 * <p>The window of an ordered stream limits the tasks whose results are not delivered yet. The window counts running
 * tasks, and tasks that wait for a consumer. 101 is the smallest window that keeps 100 consumers busy in all libraries.
 * Queues and unordered streams have a buffer of 1,000 tasks, or ten batches.
 */
public enum ApproachMode {
    /** Fetches a batch, consumes all its tasks concurrently, and then fetches the next batch. */
    BATCH(1, 0, 0),
    /** Consumers block a thread while the queue is empty. */
    BLOCKING_QUEUE(1, 0, 0),
    /** Consumers block no thread while the queue is empty. */
    NONBLOCKING_QUEUE(1, 0, 0),
    /** Delivers results in the order of the tasks. No batch is fetched before the last one is in the window. */
    STREAM_ORDERED(1, 101, 0),
    /** Like {@link #STREAM_ORDERED}, but three more batches are fetched in advance. */
    STREAM_ORDERED_PREFETCH(1, 101, 3),
    /** Two producers and one queue. */
    TWO_PRODUCERS_QUEUE(2, 0, 0),
    /** Two streams of batches are merged, then consumed like {@link #STREAM_ORDERED}. */
    TWO_PRODUCERS_STREAMS(2, 101, 1),
    /** Like {@link #STREAM_ORDERED}, with a window of 1,000. */
    STREAM_ORDERED_LARGE(1, 1_000, 0),
    /** Delivers results in the order of completion. */
    UNORDERED(1, 0, 0),
    /** Each consumer has a queue and takes tasks from other queues when its own queue is empty. */
    WORK_STEALING(1, 0, 0),
    /** Like {@link #NONBLOCKING_QUEUE}, with ten producers. */
    TEN_PRODUCERS(10, 0, 0);

    private final int producers;
    private final int window;
    private final int batchesAhead;

    ApproachMode(int producers, int window, int batchesAhead) {
        this.producers = producers;
        this.window = window;
        this.batchesAhead = batchesAhead;
    }

    /** Mode of the contenders, with the window of an ordered stream. */
    String word() {
        String word = name().toLowerCase(Locale.ROOT).replace('_', '-').replace("-large", "");
        return isOrdered() ? word + "-" + window : word;
    }

    public int producers() {
        return producers;
    }

    public boolean isOrdered() {
        return window > 0;
    }

    public int window() {
        return window;
    }

    /** Batches that wait before the window of an ordered stream. */
    public int batchesAhead() {
        return batchesAhead;
    }

    /** Whether the approach can reach the ideal: no task waits for the result of another task. */
    boolean canReachIdeal() {
        return this != BATCH && !isOrdered();
    }
}
