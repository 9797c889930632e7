// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The counters of a {@link FaultProxy}. Threads access the fields only under the lock of {@code monitor}. */
final class ProxyStats {

    private final Monitor monitor = new Monitor();
    private final Map<Direction, Long> forwarded = new EnumMap<>(Direction.class);
    private int accepted;
    private int refused;
    private int open;

    void accepted() {
        monitor.change(() -> {
            open++;
            return accepted++;
        });
    }

    void refused() {
        monitor.change(() -> refused++);
    }

    void clientEnded() {
        monitor.change(() -> open--);
    }

    void forwarded(Direction direction, int bytes) {
        monitor.change(() -> forwarded.merge(direction, (long) bytes, Long::sum));
    }

    int acceptedConnections() {
        return monitor.read(() -> accepted);
    }

    int refusedConnections() {
        return monitor.read(() -> refused);
    }

    int openConnections() {
        return monitor.read(() -> open);
    }

    long forwardedBytes(Direction direction) {
        return monitor.read(() -> forwardedSoFar(direction));
    }

    void awaitAccepted(int count, Duration timeout) {
        await(count + " accepted connections", () -> accepted >= count, timeout);
    }

    void awaitRefused(int count, Duration timeout) {
        await(count + " refused connections", () -> refused >= count, timeout);
    }

    void awaitOpen(int count, Duration timeout) {
        await("exactly " + count + " open connections", () -> open == count, timeout);
    }

    void awaitForwarded(Direction direction, long bytes, Duration timeout) {
        await(bytes + " bytes " + direction, () -> forwardedSoFar(direction) >= bytes, timeout);
    }

    private long forwardedSoFar(Direction direction) {
        return forwarded.getOrDefault(direction, 0L);
    }

    private void await(String condition, BooleanSupplier reached, Duration timeout) {
        monitor.await(
                condition,
                reached,
                timeout,
                () -> "accepted=" + accepted + ", refused=" + refused + ", open=" + open + ", forwarded=" + forwarded);
    }
}
