// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts commands by name and by the kind of their end, and keeps histograms of their latencies. Set an object of this
 * class with {@link ClientOptions.Builder#commandListener}, and read it with {@link #snapshot}. One object may serve
 * several clients.
 *
 * <p>Recording takes no lock and, after the first commands of a name, allocates no memory. Each name needs up to 180 KB:
 * 23 KB for each stripe that a thread has used, 8 stripes at most. The first {@value #MAX_NAMES} names have separate histograms, so the memory is limited to 23 MB;
 * the commands of all later names are counted under the name {@value #OTHER}. Thread-safe.
 */
public final class CommandHistograms implements CommandListener {

    /** Maximum number of names with separate histograms. An application rarely uses more than 128 of the 190 commands. */
    public static final int MAX_NAMES = 128;

    /** The name for the commands of all further names. */
    public static final String OTHER = "other";

    /**
     * The state of histograms at one moment. Commands that end during the snapshot may be contained partly.
     *
     * @param commands the commands by name, such as {@code GET}; a transaction has the name {@code EXEC}
     */
    public record Snapshot(Map<String, CommandLatencies> commands) {

        public Snapshot {
            commands = Map.copyOf(commands);
        }

        /** Returns the commands with this name; all counts are zero if there are none. */
        public CommandLatencies of(String name) {
            return commands.getOrDefault(name, CommandLatencies.NONE);
        }

        /**
         * Returns the commands that ended between {@code earlier} and this snapshot. {@code earlier} must be an earlier
         * snapshot of the same object.
         */
        public Snapshot since(Snapshot earlier) {
            Map<String, CommandLatencies> difference = new TreeMap<>();
            commands.forEach((name, now) -> difference.put(name, now.since(earlier.of(name))));
            return new Snapshot(difference);
        }
    }

    private final ConcurrentHashMap<String, LatencyRecorder> recorders = new ConcurrentHashMap<>();
    private final LatencyRecorder other = new LatencyRecorder();

    /** Number of names that may be added. Below 0 if threads found that no name may be added. */
    private final AtomicInteger freeNames = new AtomicInteger(MAX_NAMES);

    /** Creates histograms without commands. */
    public CommandHistograms() {}

    @Override
    public void ended(EndedCommand command) {
        String name = command.name();
        LatencyRecorder recorder = recorders.get(name);
        if (recorder == null) {
            recorder = add(name);
        }
        recorder.record(command);
    }

    private LatencyRecorder add(String name) {
        if (freeNames.get() <= 0) {
            return other;
        }
        return recorders.computeIfAbsent(
                name, added -> freeNames.getAndDecrement() > 0 ? new LatencyRecorder() : other);
    }

    /**
     * Returns the commands since the creation of this object. The numbers never decrease. For the commands of an
     * interval, compare two snapshots with {@link Snapshot#since}.
     */
    public Snapshot snapshot() {
        Map<String, CommandLatencies> commands = new TreeMap<>();
        recorders.forEach((name, recorder) -> {
            if (!recorder.equals(other)) {
                commands.put(name, CommandLatencies.of(recorder));
            }
        });
        CommandLatencies others = CommandLatencies.of(other);
        if (others.fromSubmission().count() > 0) {
            commands.put(OTHER, others);
        }
        return new Snapshot(commands);
    }
}
