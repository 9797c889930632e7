// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Tells a listener of events, one at a time, and of progress several times a second. */
final class Events {

    /** Ten times a second: smooth to the eye, nothing to the processor. */
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Consumer<LoadEvent> listener;
    private final ReentrantLock oneAtATime = new ReentrantLock();

    Events(Consumer<LoadEvent> listener) {
        this.listener = listener;
    }

    void tell(LoadEvent event) {
        oneAtATime.lock();
        try {
            listener.accept(event);
        } finally {
            oneAtATime.unlock();
        }
    }

    /** Tells what {@code progress} gives, on a thread of its own, until the result is closed; then once more. */
    Ticking tellRegularly(Supplier<LoadEvent> progress) {
        return new Ticking(progress);
    }

    /** The thread that tells of progress. */
    final class Ticking implements AutoCloseable {

        private final Supplier<LoadEvent> progress;
        private final Thread thread;
        private volatile boolean closed;

        private Ticking(Supplier<LoadEvent> progress) {
            this.progress = progress;
            this.thread = Thread.ofPlatform().name("millrace-progress").daemon().start(this::run);
        }

        private void run() {
            while (!closed) {
                tell(progress.get());
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
            tell(progress.get());
        }
    }
}
