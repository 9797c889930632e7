// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/**
 * The approaches: the seven of the reference measurement in their order, and four more. Each approach has the same
 * limits in every library.
 *
 * <p>The window of an ordered stream is the maximum number of tasks that were started, or wait for a consumer in order,
 * and whose results were not delivered. 101 is the smallest window that keeps 100 consumers busy in all libraries.
 * Queues and unordered streams have a buffer of 1,000 tasks, or ten batches.
 */
enum ApproachMode {
    /** Fetches a batch, consumes all its tasks concurrently, and then fetches the next batch. */
    BATCH("batch", 1),
    /** Consumers block a thread while the queue is empty. */
    BLOCKING_QUEUE("blocking-queue", 1),
    /** Consumers block no thread while the queue is empty. */
    NONBLOCKING_QUEUE("nonblocking-queue", 1),
    /** Delivers results in the order of the tasks. No batch is fetched before the last one is in the window. */
    STREAM_ORDERED("stream-ordered-101", 1),
    /** Like {@link #STREAM_ORDERED}, but three more batches are fetched in advance. */
    STREAM_ORDERED_PREFETCH("stream-ordered-prefetch-101", 1),
    /** Like {@link #STREAM_ORDERED}, with a window of 1,000. */
    STREAM_ORDERED_LARGE("stream-ordered-1000", 1),
    /** Two producers and one queue. */
    TWO_PRODUCERS_QUEUE("two-producers-queue", 2),
    /** Two streams of batches are merged, then consumed like {@link #STREAM_ORDERED}. */
    TWO_PRODUCERS_STREAMS("two-producers-streams-101", 2),
    /** Delivers results in the order of completion. */
    UNORDERED("unordered", 1),
    /** Like {@link #UNORDERED}, with ten producers. */
    TEN_PRODUCERS("ten-producers", 10),
    /** Each consumer has a queue and takes tasks from other queues when its own queue is empty. */
    WORK_STEALING("work-stealing", 1);

    static final int SMALL_WINDOW = 101;
    static final int LARGE_WINDOW = 1_000;

    private final String word;
    private final int producers;

    ApproachMode(String word, int producers) {
        this.word = word;
        this.producers = producers;
    }

    /** Mode of the contenders. */
    String word() {
        return word;
    }

    int producers() {
        return producers;
    }

    /** Whether the approach can reach the ideal: no task waits for the result of another task. */
    boolean canReachIdeal() {
        return this != BATCH && !word.contains("streams") && !word.startsWith("stream-");
    }
}
