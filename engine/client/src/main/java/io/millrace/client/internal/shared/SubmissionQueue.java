// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Submissions on their way to the sending thread, linked through themselves. Any thread adds or looks; one thread at a
 * time takes.
 *
 * <pre>
 *   head -> taken last -> next to take -> ... -> tail       head == tail: empty
 * </pre>
 *
 * <p>Adding exchanges the tail and then sets one link. Between these two steps the chain has a gap, which looks like
 * its end. No submission is missed: a thread that adds checks, after linking, whether a thread is sending. A thread
 * that stops sending frees the role and then checks the queue. Both are volatile, so at least one thread sees the
 * other's write.
 *
 * <p>A taken submission drops its link, or a reference to an old submission would keep all later ones reachable.
 */
final class SubmissionQueue {

    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(SubmissionQueue.class, "tail", Submission.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Written by the thread that takes. */
    private volatile Submission head;

    @SuppressWarnings({"UnusedVariable", "FieldCanBeFinal"}) // by TAIL
    private volatile Submission tail;

    SubmissionQueue() {
        head = new PipelineBatch();
        tail = head;
    }

    /** Any thread. */
    void add(Submission submission) {
        Submission before = (Submission) TAIL.getAndSet(this, submission);
        before.next = submission;
    }

    /** Sender: takes the oldest; null if there is none. */
    @Nullable
    Submission poll() {
        Submission last = head;
        Submission first = last.next;
        if (first != null) {
            head = first;
            last.next = null;
        }
        return first;
    }

    /** Any thread. */
    boolean isEmpty() {
        return head.next == null;
    }

    /**
     * Any thread: visits the waiting submissions, oldest first. May miss submissions that are added or taken
     * concurrently.
     */
    void forEach(java.util.function.Consumer<Submission> viewer) {
        for (Submission waiting = head.next; waiting != null; waiting = waiting.next) {
            viewer.accept(waiting);
        }
    }
}
