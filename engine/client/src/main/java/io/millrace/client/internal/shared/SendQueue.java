// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The submissions that wait to be sent. The submissions that were sent before come first: the submissions of a lost
 * wire, and the submissions that the server has temporarily refused. The submissions that callers have added follow. Any
 * thread adds and reads; the holder of the sending role takes submissions and puts them
 * back.
 */
final class SendQueue {

    private final ConcurrentLinkedDeque<Submission> leftOver = new ConcurrentLinkedDeque<>();
    private final SubmissionQueue submitted = new SubmissionQueue();

    /** Any thread: adds {@code submission} at the end. */
    void add(Submission submission) {
        submitted.add(submission);
    }

    /**
     * Any thread: adds {@code submission}, which was sent before, behind the submissions of lost wires. The other queue
     * may still link to this submission.
     */
    void addAgain(Submission submission) {
        leftOver.addLast(submission);
    }

    /** Any thread: returns whether no submission waits. */
    boolean isEmpty() {
        return submitted.isEmpty() && leftOver.isEmpty();
    }

    /** Any thread: visits the waiting submissions. May miss submissions that are added or taken concurrently. */
    void forEach(Consumer<Submission> viewer) {
        leftOver.forEach(viewer);
        submitted.forEach(viewer);
    }

    /** Sender: removes and returns the first submission; null if there is none. */
    @Nullable
    Submission poll() {
        Submission first = leftOver.poll();
        if (first == null && !submitted.isEmpty()) {
            // A submission of another node was added before the submission that waits now, and has the same slot.
            first = leftOver.poll();
        }
        return first != null ? first : submitted.poll();
    }

    /** Sender: puts {@code survivor}, a submission of a lost wire, at the front. */
    void addFirst(Submission survivor) {
        leftOver.addFirst(survivor);
    }

    /** Sender: removes submissions that have outcomes already, and passes them to {@code dropped}. */
    void removeDecided(Consumer<Submission> dropped) {
        for (Submission next = submitted.poll(); next != null; next = submitted.poll()) {
            leftOver.add(next);
        }
        leftOver.removeIf(submission -> {
            boolean ended = submission.isDecided();
            if (ended) {
                dropped.accept(submission);
            }
            return ended;
        });
    }
}
