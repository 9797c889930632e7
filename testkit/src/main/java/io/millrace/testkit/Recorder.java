// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** All that the connections of a {@link FakeRedis} saw. Every field is guarded by the lock. */
final class Recorder {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<ReceivedCommand> commands = new ArrayList<>();
    private final List<ByteArrayOutputStream> received = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private boolean reading = true;
    private int ended;

    int connected() {
        return guarded(() -> {
            received.add(new ByteArrayOutputStream());
            return received.size() - 1;
        });
    }

    void bytes(int connection, byte[] bytes, int length) {
        guarded(() -> {
            received.get(connection).write(bytes, 0, length);
            return length;
        });
    }

    void command(ReceivedCommand command) {
        guarded(() -> commands.add(command));
    }

    void failure(Throwable failure) {
        guarded(() -> failures.add(failure));
    }

    void disconnected() {
        guarded(() -> ended++);
    }

    void reading(boolean now) {
        guarded(() -> reading = now);
    }

    List<ReceivedCommand> commands() {
        return guarded(() -> List.copyOf(commands));
    }

    byte[] received(int connection) {
        return guarded(() -> received.get(connection).toByteArray());
    }

    List<Throwable> failures() {
        return guarded(() -> List.copyOf(failures));
    }

    List<ReceivedCommand> awaitCommands(int count, Duration patience) {
        await(count + " commands", () -> commands.size() >= count, patience);
        return commands();
    }

    void awaitConnections(int count, Duration patience) {
        await(count + " connections", () -> received.size() >= count, patience);
    }

    void awaitDisconnections(int count, Duration patience) {
        await(count + " connections to end", () -> ended >= count, patience);
    }

    byte[] awaitBytes(int connection, int count, Duration patience) {
        BooleanSupplier there =
                () -> received.size() > connection && received.get(connection).size() >= count;
        await(count + " bytes on connection " + connection, there, patience);
        return received(connection);
    }

    /** Waits while the test has stopped reading. */
    void awaitReading() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!reading) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private <T> T guarded(Supplier<T> action) {
        lock.lock();
        try {
            T result = action.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    private void await(String what, BooleanSupplier reached, Duration patience) {
        lock.lock();
        try {
            long nanos = patience.toNanos();
            while (!reached.getAsBoolean()) {
                if (nanos <= 0) {
                    throw new AssertionError(
                            "waited in vain for " + what + " after " + patience + ": connections=" + received.size()
                                    + ", ended=" + ended + ", failures=" + failures + ", commands=" + commands);
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
