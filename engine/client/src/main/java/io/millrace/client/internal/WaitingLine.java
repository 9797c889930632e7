// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent over a connection: what a lost wire left over, and behind it what has been submitted since. Any thread
 * adds at the end and looks; whoever has the sending role takes, puts back and drops.
 */
final class WaitingLine {

    private final ConcurrentLinkedDeque<Submission> leftOver = new ConcurrentLinkedDeque<>();
    private final SubmissionQueue submitted = new SubmissionQueue();

    /** Any thread. */
    void add(Submission submission) {
        submitted.add(submission);
    }

    /** Any thread. */
    boolean isEmpty() {
        return submitted.isEmpty() && leftOver.isEmpty();
    }

    /** Any thread: shows what waits. May miss what is taken or added meanwhile. */
    void forEach(Consumer<Submission> viewer) {
        leftOver.forEach(viewer);
        submitted.forEach(viewer);
    }

    /** Sender: takes the first, null if there is none. */
    @Nullable
    Submission poll() {
        Submission first = leftOver.poll();
        return first != null ? first : submitted.poll();
    }

    /** Sender: puts {@code survivor} in front. */
    void putBack(Submission survivor) {
        leftOver.addFirst(survivor);
    }

    /** Sender: takes out what has its outcome already, and shows it. */
    void dropEnded(Consumer<Submission> dropped) {
        for (Submission next = submitted.poll(); next != null; next = submitted.poll()) {
            leftOver.add(next);
        }
        leftOver.removeIf(submission -> {
            boolean ended = submission.ended();
            if (ended) {
                dropped.accept(submission);
            }
            return ended;
        });
    }
}
