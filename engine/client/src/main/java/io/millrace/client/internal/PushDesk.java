// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.PushListener;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Gives pushes to the listener, one after the other on a virtual thread that lives while there are any. */
final class PushDesk {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    /** Named in {@link PushListener#pushed}. */
    private static final int MOST_WAITING = 1_024;

    private final PushListener listener;

    /** Found out once: a reader runs no code of the user, not even its {@code equals}. */
    private final boolean wanted;

    private final ArrayBlockingQueue<Reply.Push> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicBoolean telling = new AtomicBoolean();
    private final LongAdder dropped = new LongAdder();

    PushDesk(PushListener listener) {
        this.listener = listener;
        this.wanted = !PushListener.NONE.equals(listener);
    }

    /** A reader: does not wait. */
    void offer(Reply.Push push) {
        if (!wanted) {
            return;
        }
        if (!waiting.offer(push)) {
            dropped.increment();
        } else if (telling.compareAndSet(false, true)) {
            Thread.ofVirtual().name("millrace-push").start(this::tell);
        }
    }

    long dropped() {
        return dropped.sum();
    }

    private void tell() {
        do {
            for (Reply.Push push = waiting.poll(); push != null; push = waiting.poll()) {
                try {
                    listener.pushed(push);
                } catch (Throwable e) {
                    // Whatever it is, the pushes after it shall be told.
                    LOG.log(Level.WARNING, "a push listener failed", e);
                }
            }
            telling.set(false);
            // What was added before that saw somebody telling.
        } while (!waiting.isEmpty() && telling.compareAndSet(false, true));
    }
}
