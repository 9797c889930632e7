// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The submissions on their way to the sending thread, as a linked list without separate nodes. Any thread adds or
 * reads; one thread at a time takes.
 *
 * <pre>
 *   head -> taken last -> next to take -> ... -> tail       head == tail: empty
 * </pre>
 *
 * <p>A thread adds a submission in two steps: it makes the submission the tail, and then links the previous tail to it.
 * Between these steps the chain has a gap, and a thread that follows the links takes the gap for the end. Still, no
 * submission is missed. The adding thread first sets the link, and then checks whether a thread is sending. A thread
 * that stops sending first frees the sending role, and then checks the queue. The link and the role are volatile, so at
 * least one of the two threads sees the write of the other thread.
 *
 * <p>The link of a taken submission is cleared. Otherwise a reference to an old submission would keep all later
 * submissions reachable.
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

    /** The submission that was taken last. Written by the thread that takes. */
    private volatile Submission head;

    @SuppressWarnings({"UnusedVariable", "FieldCanBeFinal"}) // accessed through TAIL
    private volatile Submission tail;

    SubmissionQueue() {
        head = new PipelineBatch(0);
        tail = head;
    }

    /** Any thread: adds {@code submission} at the end. */
    void add(Submission submission) {
        Submission before = (Submission) TAIL.getAndSet(this, submission);
        before.next = submission;
    }

    /** Sender: removes and returns the oldest submission; null if there is none. */
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

    /** Any thread: returns whether no submission waits. */
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
