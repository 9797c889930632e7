// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Submissions on their way to whoever sends, linked through themselves. Any thread adds, one at a time takes, any looks.
 *
 * <pre>
 *   head -> taken last -> next to take -> ... -> tail       head == tail: empty
 * </pre>
 *
 * <p>Adding is one exchange of the tail and one link behind it. Between the two the chain has a gap, which looks like its end.
 * Nothing is overlooked: whoever adds looks, after linking, whether somebody sends; whoever sends looks, after saying that it
 * stops, whether something is here. Both are volatile, so one sees the other.
 *
 * <p>What was taken lets go of its successor, or whoever holds an old submission would hold all later ones.
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

    /** Written by whoever takes. */
    private volatile Submission head;

    @SuppressWarnings({"UnusedVariable", "FieldCanBeFinal"}) // by TAIL
    private volatile Submission tail;

    SubmissionQueue() {
        head = new Portion();
        tail = head;
    }

    /** Any thread. */
    void add(Submission submission) {
        Submission before = (Submission) TAIL.getAndSet(this, submission);
        before.next = submission;
    }

    /** Whoever sends: takes the oldest, null if there is none. */
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

    /** Any thread: shows what is waiting, oldest first. May miss what is taken or added meanwhile. */
    void forEach(java.util.function.Consumer<Submission> viewer) {
        for (Submission waiting = head.next; waiting != null; waiting = waiting.next) {
            viewer.accept(waiting);
        }
    }
}
