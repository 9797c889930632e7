// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock around what several threads count, whose every change wakes those that wait for one. */
final class Monitor {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Runs {@code action} alone and wakes who waits. */
    <T> T change(Supplier<T> action) {
        lock.lock();
        try {
            T result = action.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Runs {@code action} alone. */
    <T> T read(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Waits without end until {@code reached}. */
    void awaitInterruptibly(BooleanSupplier reached) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!reached.getAsBoolean()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until {@code reached}, or fails the test with {@code state} when {@code patience} is at its end. */
    void await(String what, BooleanSupplier reached, Duration patience, Supplier<String> state) {
        lock.lock();
        try {
            long nanos = patience.toNanos();
            while (!reached.getAsBoolean()) {
                if (nanos <= 0) {
                    throw new AssertionError("waited in vain for " + what + " after " + patience + ": " + state.get());
                }
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + what, e);
        } finally {
            lock.unlock();
        }
    }
}
