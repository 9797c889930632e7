// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import java.util.List;
import java.util.stream.IntStream;

/** One setting at several values; the other settings have their defaults. All sweeps send small {@code SET}s. */
enum Sweep {
    CONNECTIONS(
            "connections",
            "Connections of " + Sweep.CALLERS + " callers that wait for each reply",
            Capability.CALL,
            1,
            2,
            4,
            8,
            16,
            64),
    IN_FLIGHT(
            "in-flight",
            "Commands in flight of one thread that waits for no reply",
            Capability.SEND,
            16,
            64,
            256,
            1_024,
            4_096,
            16_384),
    BATCH(
            "batch",
            "Commands in a batch of one thread that waits for each batch",
            Capability.BATCH,
            1,
            10,
            100,
            1_000,
            10_000),
    /** Compares the modes of a library, such as Millrace with and without fusion. The value is the place in the list. */
    MODE("mode", "Ways to send batches of " + Sweep.MODE_BATCH + " commands, such as fusion", Capability.BATCH);

    static final int CALLERS = 64;
    static final int MODE_BATCH = 1_000;

    /** A unit has this number of windows or batches, so that its end weighs the same for each value. */
    private static final int WINDOWS = 20;

    private static final int SMALLEST_UNIT = 2_000;
    private static final int LARGEST_UNIT = 200_000;
    private static final int CALLS = 5_000;

    final String scenario;
    final String title;
    final Capability capability;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Integer> values;

    Sweep(String scenario, String title, Capability capability, Integer... values) {
        this.scenario = scenario;
        this.title = title;
        this.capability = capability;
        this.values = List.of(values);
    }

    /** The points for {@code library}; empty if the library does not have this setting. */
    List<TunePoint> points(ClientLibrary library, boolean isQuick) {
        List<UsageMode> modes = library.modesWith(capability);
        if (this == MODE) {
            return modes.size() < 2 || isQuick
                    ? List.of()
                    : IntStream.range(0, modes.size())
                            .mapToObj(place -> new TunePoint(
                                    this,
                                    library,
                                    modes.get(place),
                                    place,
                                    modes.get(place).name()))
                            .toList();
        }
        return modes.isEmpty()
                ? List.of()
                : chosen(isQuick).stream()
                        .map(value -> new TunePoint(this, library, modes.getFirst(), value, Integer.toString(value)))
                        .toList();
    }

    /** If quick, every third value. */
    private List<Integer> chosen(boolean isQuick) {
        return IntStream.range(0, values.size())
                .filter(place -> !isQuick || place % 3 == 0)
                .mapToObj(values::get)
                .toList();
    }

    /** Commands in one unit of work. */
    long commands(int value) {
        return switch (this) {
            case CONNECTIONS -> CALLS;
            case IN_FLIGHT -> Math.clamp((long) WINDOWS * value, SMALLEST_UNIT, LARGEST_UNIT);
            case BATCH -> Math.min((long) WINDOWS * value, LARGEST_UNIT);
            case MODE -> (long) WINDOWS * MODE_BATCH;
        };
    }

    /** Commands that can be on their way at the same time. */
    int window(int value) {
        return switch (this) {
            case CONNECTIONS -> CALLERS;
            case IN_FLIGHT, BATCH -> value;
            case MODE -> MODE_BATCH;
        };
    }
}
