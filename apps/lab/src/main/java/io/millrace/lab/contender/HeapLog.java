// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How much heap was in use after each garbage collection, from the log of a JVM ({@code -Xlog:gc:file=…}).
 *
 * @param mebibytes in the order of the collections
 */
public record HeapLog(List<Integer> mebibytes) {

    /** Least heap in use after a collection in the last quarter of the load, divided by the least in the second. */
    public static final String GROWTH = "heapGrowth";

    /** Most heap that was in use after a collection. */
    public static final String PEAK = "heapPeakMebibytes";

    private static final Pattern COLLECTION = Pattern.compile("Pause .* \\d+M->(\\d+)M\\(\\d+M\\)");

    public HeapLog {
        mebibytes = List.copyOf(mebibytes);
    }

    /** Reads the log that a JVM has left. */
    static HeapLog read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new LabException("cannot read the log of collections: file=" + file, e);
        }
    }

    static HeapLog parse(String log) {
        return new HeapLog(COLLECTION
                .matcher(log)
                .results()
                .map(collection -> Integer.valueOf(collection.group(1)))
                .toList());
    }

    /**
     * {@link #GROWTH} and {@link #PEAK}; without growth if there were too few collections to tell.
     *
     * <p>The least of a quarter is taken, because what a young collection leaves includes what a later one will free.
     */
    Map<String, Double> figures() {
        var figures = new HashMap<String, Double>();
        mebibytes.stream().max(Integer::compare).ifPresent(peak -> figures.put(PEAK, peak.doubleValue()));
        int quarter = mebibytes.size() / 4;
        if (quarter > 0) {
            figures.put(GROWTH, least(3 * quarter, mebibytes.size()) / Math.max(1, least(quarter, 2 * quarter)));
        }
        return figures;
    }

    private double least(int from, int to) {
        return mebibytes.subList(from, to).stream()
                .mapToInt(Integer::intValue)
                .min()
                .orElseThrow();
    }
}
