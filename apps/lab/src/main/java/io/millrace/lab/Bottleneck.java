// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.experiment.Sweep;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Run;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What stands in the way of more: of all that is limited, that of which most is used.
 *
 * @param word such as {@code server CPU}
 * @param why how much of each is used
 */
record Bottleneck(String word, String why) {

    /**
     * At one point of a sweep.
     *
     * @param held what is the same at all points
     */
    static Bottleneck of(Sweep sweep, Link link, Map<String, Long> held, Run run) {
        double rate = Figure.PER_SECOND.of(run).median().orElse(0);
        double busy = Figure.SERVER_SHARE.of(run).median().orElse(0);
        double client =
                run.series(sample -> sample.measured().cpuShare()).median().orElse(0);
        int cores = Runtime.getRuntime().availableProcessors();
        var used = new LinkedHashMap<String, Double>();
        used.put("server CPU", busy);
        // Where both are on one machine, what the server takes the client cannot have.
        used.put("client CPU", (link.local() ? client + busy : client) / cores);
        // By Little's law as many are in flight as are sent in a round trip.
        used.put(
                sweep.waits() ? "round trip" : "window",
                rate * link.roundTrip().toNanos() / 1e9 / sweep.inFlight(run.contender(), held));
        used.put("bandwidth", rate * sweep.commandBytes(run.contender()) / link.bytesPerSecond());
        var most = used.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        return new Bottleneck(
                most.getKey(),
                used.entrySet().stream()
                        .map(entry -> String.format(Locale.ROOT, "%s %.2f", entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", ", "used of what there is: ", "")));
    }
}
