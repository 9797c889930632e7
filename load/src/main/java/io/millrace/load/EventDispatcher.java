// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Passes events to the listener, one event at a time. A {@link ProgressThread} passes a progress event ten times a
 * second.
 */
final class EventDispatcher {

    /**
     * Interval between two progress events. The interval is short enough for a smooth display, and long enough to cost
     * little CPU time.
     */
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Maximum number of warnings in a report. A server that restarts all the time must not fill the memory. */
    private static final int MAX_WARNINGS = 20;

    private final Consumer<LoadEvent> listener;
    private final ReentrantLock oneAtATime = new ReentrantLock();

    /** The warnings for the report. Guarded by the lock. */
    private final List<String> warnings = new ArrayList<>();

    EventDispatcher(Consumer<LoadEvent> listener) {
        this.listener = listener;
    }

    void dispatch(LoadEvent event) {
        oneAtATime.lock();
        try {
            listener.accept(event);
        } finally {
            oneAtATime.unlock();
        }
    }

    /** Passes a warning to the listener, and keeps it for the report. */
    void warn(String message) {
        oneAtATime.lock();
        try {
            if (warnings.size() < MAX_WARNINGS) {
                warnings.add(message);
            }
            listener.accept(new LoadEvent.Warned(message));
        } finally {
            oneAtATime.unlock();
        }
    }

    /** The first warnings, in their order. */
    List<String> warnings() {
        oneAtATime.lock();
        try {
            return List.copyOf(warnings);
        } finally {
            oneAtATime.unlock();
        }
    }

    /**
     * Starts a thread that takes events from {@code progress} and passes them to the listener. The caller closes the
     * returned object to end the thread. The call of {@code close} passes one last event.
     */
    ProgressThread startProgress(Supplier<LoadEvent> progress) {
        return new ProgressThread(progress);
    }

    /** The thread that passes progress events to the listener. */
    final class ProgressThread implements AutoCloseable {

        private final Supplier<LoadEvent> progress;
        private final Thread thread;
        private volatile boolean closed;

        private ProgressThread(Supplier<LoadEvent> progress) {
            this.progress = progress;
            this.thread = Thread.ofPlatform().name("millrace-progress").daemon().start(this::run);
        }

        private void run() {
            while (!closed) {
                dispatch(progress.get());
                LockSupport.parkNanos(this, INTERVAL_NANOS);
            }
        }

        @Override
        public void close() {
            closed = true;
            LockSupport.unpark(thread);
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            dispatch(progress.get());
        }
    }
}
