// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * How much heap was in use after each garbage collection of a JVM, from its flight recording.
 *
 * @param mebibytes in the order of the collections
 */
public record HeapRecording(List<Double> mebibytes) {

    /**
     * Least heap in use after a collection in the last quarter of the collections, divided by the least in the second.
     */
    public static final String GROWTH = "heapGrowth";

    /** Most heap that was in use after a collection. */
    public static final String PEAK = "heapPeakMebibytes";

    static final String EVENT = "jdk.GCHeapSummary";

    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    public HeapRecording {
        mebibytes = List.copyOf(mebibytes);
    }

    /** The JVM option that records into {@code file} what {@link #read} wants, and nothing else. */
    static String option(Path file) {
        return "-XX:StartFlightRecording:settings=none,+" + EVENT + "#enabled=true,filename=" + file;
    }

    /** Reads the recording that a JVM left when it ended. */
    static HeapRecording read(Path file) {
        try {
            return new HeapRecording(RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(EVENT)
                            && event.getString("when").equals("After GC"))
                    .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                    .map(event -> event.getLong("heapUsed") / BYTES_PER_MEBIBYTE)
                    .toList());
        } catch (IOException e) {
            throw new LabException("cannot read the recording of the heap: file=" + file, e);
        }
    }

    /**
     * {@link #GROWTH} and {@link #PEAK}; without growth if there were too few collections to tell.
     *
     * <p>The least of a quarter is taken, because what a young collection leaves includes what a later one will free.
     */
    Map<String, Double> figures() {
        var figures = new HashMap<String, Double>();
        mebibytes.stream().max(Double::compare).ifPresent(peak -> figures.put(PEAK, peak));
        int quarter = mebibytes.size() / 4;
        if (quarter > 0) {
            figures.put(GROWTH, least(3 * quarter, mebibytes.size()) / least(quarter, 2 * quarter));
        }
        return figures;
    }

    private double least(int from, int to) {
        return mebibytes.subList(from, to).stream()
                .mapToDouble(Double::doubleValue)
                .min()
                .orElseThrow();
    }
}
