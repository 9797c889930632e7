// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.FusingClient;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** One setting at several values; the other settings have their defaults. All sweeps send small {@code SET}s. */
enum Sweep {
    CONNECTIONS(
            "connections",
            "Connections of " + Sweep.CALLERS + " callers that wait for each reply",
            Capability.CALL,
            List.of(1, 8, 64)),
    IN_FLIGHT(
            "in-flight",
            "Commands in flight of one thread that waits for no reply",
            Capability.SEND,
            List.of(16, 256, 4_096)),
    BATCH(
            "batch",
            "Commands in a batch of one thread that waits for each batch",
            Capability.BATCH,
            List.of(1, 30, 1_000)),
    /** Compares the modes of a library that can fuse commands. The value is the place in the list of modes. */
    FUSION("fusion", "Ways to send batches of " + Sweep.FUSION_BATCH + " commands", Capability.BATCH, List.of());

    static final int CALLERS = 64;
    static final int FUSION_BATCH = 1_000;

    /** A unit has this number of windows or batches, so that its end weighs the same for each value. */
    private static final int WINDOWS = 10;

    final String scenario;
    final String title;
    private final Capability capability;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Integer> values;

    Sweep(String scenario, String title, Capability capability, List<Integer> values) {
        this.scenario = scenario;
        this.title = title;
        this.capability = capability;
        this.values = values;
    }

    /** The points for {@code library}, if quick only the ends; empty if the library does not have this setting. */
    List<TunePoint> points(ClientLibrary library, boolean isQuick) {
        List<UsageMode> modes = library.modesWith(capability);
        if (modes.isEmpty() || !TuneAdvice.hasSetting(library.name(), this)) {
            return List.of();
        }
        if (this == FUSION) {
            boolean fuses = !isQuick && modes.getFirst().adapter().get() instanceof FusingClient;
            return IntStream.range(0, fuses ? modes.size() : 0)
                    .mapToObj(place -> new TunePoint(this, library, modes.get(place), place))
                    .toList();
        }
        UsageMode mode = this == CONNECTIONS ? pooled(modes) : modes.getFirst();
        return values.stream()
                .filter(value -> !isQuick || value.equals(values.getFirst()) || value.equals(values.getLast()))
                .map(value -> new TunePoint(this, library, mode, value))
                .toList();
    }

    /** The first mode with a pool; the first mode if there is none. */
    private static UsageMode pooled(List<UsageMode> modes) {
        return modes.stream()
                .min(Comparator.comparing(mode -> !mode.capabilities().contains(Capability.POOL))) // false comes first
                .orElseThrow();
    }

    /** Commands in one unit of work. */
    int commands(int value) {
        return switch (this) {
            case CONNECTIONS -> 5_000;
            case IN_FLIGHT, BATCH -> Math.max(WINDOWS * value, 100);
            case FUSION -> WINDOWS * FUSION_BATCH;
        };
    }

    /** Commands that can be on their way at the same time. */
    int window(int value) {
        return switch (this) {
            case CONNECTIONS -> CALLERS;
            case IN_FLIGHT, BATCH -> value;
            case FUSION -> FUSION_BATCH;
        };
    }
}
