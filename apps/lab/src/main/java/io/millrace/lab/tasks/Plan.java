// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.Arrays;

/**
 * What an approach is known by, whichever library it is written with: the seven of the reference in their order, then
 * more.
 */
public enum Plan {
    /** A batch is fetched, all its tasks are consumed at once, and then the next one is fetched. */
    BATCH("batch", 1),
    /** Consumers wait in a queue's take. */
    BLOCKING_QUEUE("blocking-queue", 1),
    /** Nobody waits in the queue itself. */
    NONBLOCKING_QUEUE("nonblocking-queue", 1),
    /** Results come out in the order of the tasks. */
    STREAM_ORDERED("stream-ordered", 1),
    /** The same, and batches are fetched ahead. */
    STREAM_ORDERED_PREFETCH("stream-ordered-prefetch", 1),
    TWO_PRODUCERS_QUEUE("two-producers-queue", 2),
    /** Two streams of batches, joined. */
    TWO_PRODUCERS_STREAMS("two-producers-streams", 2),
    /** Results come out as they are ready. */
    UNORDERED("unordered", 1),
    TEN_PRODUCERS("ten-producers", 10),
    /** A queue for each consumer, of which the idle ones take from the others'. */
    WORK_STEALING("work-stealing", 1);

    private final String word;
    private final int producers;

    Plan(String word, int producers) {
        this.word = word;
        this.producers = producers;
    }

    /** The word in variants. */
    public String word() {
        return word;
    }

    /** How many producers it has: the ideal depends on that. */
    public int producers() {
        return producers;
    }

    /**
     * The plan with this word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Plan named(String word) {
        return Arrays.stream(values())
                .filter(plan -> plan.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such plan: " + word + ". There are: "
                        + Arrays.stream(values()).map(Plan::word).toList()));
    }
}
