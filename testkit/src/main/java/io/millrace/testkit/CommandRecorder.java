// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Records the commands and bytes that the connections of a {@link FakeRedis} receive. Threads access the fields only
 * under the lock of {@code monitor}.
 */
final class CommandRecorder {

    private final Monitor monitor = new Monitor();
    private final List<ReceivedCommand> commands = new ArrayList<>();
    private final List<ByteArrayOutputStream> received = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private boolean reading = true;
    private int ended;

    int connected() {
        return monitor.change(() -> {
            received.add(new ByteArrayOutputStream());
            return received.size() - 1;
        });
    }

    void bytes(int connection, byte[] bytes, int length) {
        monitor.change(() -> {
            received.get(connection).write(bytes, 0, length);
            return length;
        });
    }

    void command(ReceivedCommand command) {
        monitor.change(() -> commands.add(command));
    }

    void failure(Throwable failure) {
        monitor.change(() -> failures.add(failure));
    }

    void disconnected() {
        monitor.change(() -> ended++);
    }

    void reading(boolean now) {
        monitor.change(() -> reading = now);
    }

    int accepted() {
        return monitor.read(received::size);
    }

    int open() {
        return monitor.read(() -> received.size() - ended);
    }

    List<ReceivedCommand> commands() {
        return monitor.read(() -> List.copyOf(commands));
    }

    byte[] received(int connection) {
        return monitor.read(() -> received.get(connection).toByteArray());
    }

    List<Throwable> failures() {
        return monitor.read(() -> List.copyOf(failures));
    }

    List<ReceivedCommand> awaitCommands(int count, Duration timeout) {
        await(count + " commands", () -> commands.size() >= count, timeout);
        return commands();
    }

    void awaitConnections(int count, Duration timeout) {
        await(count + " connections", () -> received.size() >= count, timeout);
    }

    void awaitDisconnections(int count, Duration timeout) {
        await(count + " connections to end", () -> ended >= count, timeout);
    }

    byte[] awaitBytes(int connection, int count, Duration timeout) {
        BooleanSupplier there =
                () -> received.size() > connection && received.get(connection).size() >= count;
        await(count + " bytes on connection " + connection, there, timeout);
        return received(connection);
    }

    /**
     * Waits until the server may read. The server may not read between {@link FakeRedis#stopReading} and {@link
     * FakeRedis#resumeReading}.
     */
    void awaitReading() throws InterruptedException {
        monitor.awaitInterruptibly(() -> reading);
    }

    private void await(String condition, BooleanSupplier reached, Duration timeout) {
        monitor.await(
                condition,
                reached,
                timeout,
                () -> "connections=" + received.size() + ", ended=" + ended + ", failures=" + failures + ", commands="
                        + commands);
    }
}
