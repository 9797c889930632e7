// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.PushListener;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Passes pushes to the listener in order, on a virtual thread that runs only while pushes are waiting. */
public final class PushDispatcher {

    /** Maximum number of waiting pushes; documented in {@link PushListener#pushed}. */
    private static final int MAX_WAITING = 1_024;

    private final PushListener listener;
    private final Consumer<Runnable> starter;

    /**
     * Computed in the constructor and not by the reader: the comparison calls {@code equals} of the listener. This
     * method may be user code, and the reader must not run user code.
     */
    private final boolean hasListener;

    private final ArrayBlockingQueue<Reply.Push> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final LongAdder dropped = new LongAdder();

    public PushDispatcher(PushListener listener) {
        this(listener, delivery -> ClientThreads.startVirtual("millrace-push", delivery));
    }

    /** Creates a dispatcher whose deliveries are started by {@code starter}. For tests. */
    PushDispatcher(PushListener listener, Consumer<Runnable> starter) {
        this.listener = listener;
        this.starter = starter;
        this.hasListener = !PushListener.NONE.equals(listener);
    }

    /** Called by a reader; does not wait. */
    public void offer(Reply.Push push) {
        if (!hasListener) {
            return;
        }
        if (!waiting.offer(push)) {
            dropped.increment();
        } else if (delivering.compareAndSet(false, true)) {
            startDelivery();
        }
    }

    private void startDelivery() {
        boolean started = false;
        try {
            starter.accept(this::deliver);
            started = true;
        } finally {
            if (!started) {
                // The thread could not be started. The next push tries again.
                delivering.set(false);
            }
        }
    }

    public long dropped() {
        return dropped.sum();
    }

    private void deliver() {
        do {
            for (Reply.Push push = waiting.poll(); push != null; push = waiting.poll()) {
                try {
                    listener.pushed(push);
                } catch (Throwable e) {
                    // The exception is only logged, so that the next pushes are still delivered.
                    ClientLog.logger().log(Level.WARNING, "a push listener failed", e);
                }
            }
            delivering.set(false);
            // A thread may have added a push before the line above, and started no delivery because this delivery was
            // still active. So check the queue again.
        } while (!waiting.isEmpty() && delivering.compareAndSet(false, true));
    }
}
