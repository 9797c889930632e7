// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * The resource that is used most.
 *
 * @param name such as {@code server CPU}
 * @param used the used part of each resource, 0 to 1
 */
record Bottleneck(String name, Map<String, Double> used) {

    /** Below this part, no resource of the list is the limit. */
    private static final double BUSY = 0.7;

    /**
     * The bottleneck of one point.
     *
     * @param window commands that can be on their way at the same time
     * @param roundTripSeconds duration of a single command; empty if unknown
     * @param isLocal whether the server uses the processors of the client
     * @param cores number of processors of the client
     */
    static Bottleneck of(Result result, int window, OptionalDouble roundTripSeconds, boolean isLocal, int cores) {
        List<Sample> samples = result.counted();
        double wall = samples.stream().mapToDouble(Sample::wallSeconds).sum();
        double client = samples.stream()
                .mapToDouble(sample -> sample.client().seconds())
                .sum();
        double server = samples.stream()
                .flatMap(sample -> sample.server().stream())
                .mapToDouble(cpu -> cpu.seconds())
                .sum();
        double rate = samples.stream().mapToDouble(Sample::operations).sum() / wall;
        Map<String, Double> used = new LinkedHashMap<>();
        used.put("server CPU", server / wall);
        used.put("client CPU", (isLocal ? client + server : client) / wall / cores);
        // Little's law: the commands on their way are the rate multiplied by the duration of one command.
        roundTripSeconds.ifPresent(seconds -> used.put("round trip", rate * seconds / window));
        var most = used.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        return new Bottleneck(most.getValue() >= BUSY ? most.getKey() : "unknown", used);
    }

    @Override
    public String toString() {
        return name + " ("
                + used.entrySet().stream()
                        .map(entry -> String.format(Locale.ROOT, "%s %.0f %%", entry.getKey(), 100 * entry.getValue()))
                        .collect(Collectors.joining(", "))
                + ")";
    }
}
