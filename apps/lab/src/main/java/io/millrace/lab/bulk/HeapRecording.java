// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.RoundDetails;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * The used heap after each garbage collection of a JVM, from a flight recording.
 *
 * @param mebibytes in the order of the collections
 */
record HeapRecording(List<Double> mebibytes) {

    /** The smallest value in the last quarter of the collections, divided by the smallest value in the second quarter. */
    static final String GROWTH = "heapGrowth";

    /** The largest used heap after a collection. */
    static final String PEAK = "heapPeakMebibytes";

    private static final String HEAP_EVENT = "jdk.GCHeapSummary";
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    public HeapRecording {
        mebibytes = List.copyOf(mebibytes);
    }

    /** The option of a JVM that records into {@code file}. */
    static String option(Path file) {
        return "-XX:StartFlightRecording:settings=none,+" + HEAP_EVENT + "#enabled=true,filename=" + file;
    }

    /** Starts to record this JVM. */
    static Recording start() {
        var recording = new Recording();
        recording.enable(HEAP_EVENT);
        recording.start();
        return recording;
    }

    /** Reads a finished recording, event by event: a recording may also have millions of other events. */
    static HeapRecording read(Path file) throws IOException {
        List<RecordedEvent> collections = new ArrayList<>();
        try (var recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (event.getEventType().getName().equals(HEAP_EVENT)
                        && event.getString("when").equals("After GC")) {
                    collections.add(event);
                }
            }
        }
        return new HeapRecording(collections.stream()
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .map(event -> event.getLong("heapUsed") / BYTES_PER_MEBIBYTE)
                .toList());
    }

    /**
     * Adds the figures to {@code details}; without {@link #GROWTH} if there were fewer than four collections.
     *
     * <p>The smallest value of a quarter is used, because the heap after a young collection includes garbage that a
     * later collection frees.
     */
    RoundDetails addTo(RoundDetails details) {
        int quarter = mebibytes.size() / 4;
        double peak = mebibytes.stream().max(Double::compare).orElse(Double.NaN);
        var more = Double.isNaN(peak) ? details : details.withFigure(PEAK, peak);
        return quarter == 0
                ? more
                : more.withFigure(GROWTH, smallest(3 * quarter, mebibytes.size()) / smallest(quarter, 2 * quarter));
    }

    private double smallest(int from, int to) {
        return mebibytes.subList(from, to).stream()
                .mapToDouble(Double::doubleValue)
                .min()
                .orElseThrow();
    }
}
