// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs several callers on separate threads. All callers start at the same time. */
public final class ConcurrentCallers {

    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch start = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private ConcurrentCallers() {}

    /** The work of one caller. */
    @FunctionalInterface
    public interface Part {

        /** Does the part of {@code caller}, 0 and up. */
        void run(int caller) throws Exception;
    }

    /**
     * Runs {@code count} callers and returns when all callers have ended. After the first failure, the other callers are
     * interrupted.
     *
     * @throws Exception the first failure
     */
    public static void run(ThreadKind kind, int count, Part part) throws Exception {
        new ConcurrentCallers().runAll(kind, count, part);
    }

    private void runAll(ThreadKind kind, int count, Part part) throws Exception {
        for (int i = 0; i < count; i++) {
            int caller = i;
            threads.add(kind.unstarted("lab-caller-" + i, () -> runOne(caller, part)));
        }
        threads.forEach(Thread::start);
        start.countDown();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            throw e;
        }
        switch (failure.get()) {
            case null -> {}
            case Exception exception -> throw exception;
            case Error error -> throw error;
            case Throwable other -> throw new IllegalStateException(other);
        }
    }

    @SuppressWarnings("Interruption") // the caller's failure is reported, and the other callers must end
    private void runOne(int caller, Part part) {
        try {
            start.await();
            part.run(caller);
        } catch (Throwable e) {
            if (failure.compareAndSet(null, e)) {
                threads.forEach(Thread::interrupt);
            }
        }
    }
}
