// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Run;
import java.time.Duration;
import java.util.List;

/**
 * All that one start of the lab has found out.
 *
 * @param command as it was typed
 * @param runs in the order of their experiments, those of one experiment and round trip together
 * @param missing contenders that could not enter
 * @param delays what the added delays were in truth
 * @param curves of the settings that were swept
 * @param settings that are recommended
 */
public record Findings(
        String command,
        List<Run> runs,
        List<Missing> missing,
        List<Delay> delays,
        List<Curve> curves,
        List<Setting> settings) {

    public Findings {
        runs = List.copyOf(runs);
        missing = List.copyOf(missing);
        delays = List.copyOf(delays);
        curves = List.copyOf(curves);
        settings = List.copyOf(settings);
    }

    /** Of runs alone. */
    public static Findings of(String command, List<Run> runs) {
        return new Findings(command, runs, List.of(), List.of(), List.of(), List.of());
    }

    /**
     * A contender that is not among the runs.
     *
     * @param experiment it would have entered
     * @param contender its label
     */
    public record Missing(String experiment, String contender, String why) {}

    /**
     * A delay as it was measured before the runs.
     *
     * @param asked for a round trip
     * @param direct a round trip without it
     * @param added the median of what came on top
     */
    public record Delay(Duration asked, Duration direct, Duration added) {}

    /** Settings to paste: for whom, and the text. */
    public record Setting(String forWhom, String text) {}
}
