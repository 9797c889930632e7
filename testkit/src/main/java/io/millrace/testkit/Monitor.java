// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock for state that several threads share. Every change of the state wakes all waiting threads. */
final class Monitor {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Runs {@code action} under the lock and wakes all waiting threads. */
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

    /** Runs {@code action} under the lock. */
    <T> T read(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Waits without a timeout until {@code reached} is true. */
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

    /**
     * Waits until {@code reached} is true. If this takes longer than {@code timeout}, throws an {@link AssertionError}
     * whose message contains {@code condition} and {@code state}.
     */
    void await(String condition, BooleanSupplier reached, Duration timeout, Supplier<String> state) {
        lock.lock();
        try {
            long nanos = timeout.toNanos();
            while (!reached.getAsBoolean()) {
                if (nanos <= 0) {
                    throw new AssertionError(
                            "timed out waiting for " + condition + " after " + timeout + ": " + state.get());
                }
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + condition, e);
        } finally {
            lock.unlock();
        }
    }
}
