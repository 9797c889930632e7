// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What a {@link FaultProxy} counts. Every field is guarded by the monitor. */
final class Tally {

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

    void clientGone() {
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

    void awaitAccepted(int count, Duration patience) {
        await(count + " accepted connections", () -> accepted >= count, patience);
    }

    void awaitRefused(int count, Duration patience) {
        await(count + " refused connections", () -> refused >= count, patience);
    }

    void awaitOpen(int count, Duration patience) {
        await("exactly " + count + " open connections", () -> open == count, patience);
    }

    void awaitForwarded(Direction direction, long bytes, Duration patience) {
        await(bytes + " bytes " + direction, () -> forwardedSoFar(direction) >= bytes, patience);
    }

    private long forwardedSoFar(Direction direction) {
        return forwarded.getOrDefault(direction, 0L);
    }

    private void await(String what, BooleanSupplier reached, Duration patience) {
        monitor.await(
                what,
                reached,
                patience,
                () -> "accepted=" + accepted + ", refused=" + refused + ", open=" + open + ", forwarded=" + forwarded);
    }
}
