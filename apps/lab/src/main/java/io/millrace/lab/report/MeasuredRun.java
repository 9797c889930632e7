// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.measure.Environment;
import io.millrace.lab.measure.Missing;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Everything that one start of the lab found out.
 *
 * @param command as the user typed the command
 * @param isComplete whether all experiments ran in full size
 * @param experiments for titles and questions
 * @param addedRoundTrips for each asked round trip, the round trip that the proxy really adds
 * @param taskWaits the waits of the task scenarios, as objects of the JSON array {@code scenarios}
 * @param advice sentences for the user, such as settings to paste
 */
public record MeasuredRun(
        Environment environment,
        String command,
        boolean isComplete,
        List<Experiment> experiments,
        List<Result> results,
        List<Missing> missing,
        Map<Duration, Duration> addedRoundTrips,
        List<Map<String, Object>> taskWaits,
        List<String> advice) {

    public MeasuredRun {
        experiments = List.copyOf(experiments);
        results = List.copyOf(results);
        missing = List.copyOf(missing);
        addedRoundTrips = Map.copyOf(addedRoundTrips);
        taskWaits = List.copyOf(taskWaits);
        advice = List.copyOf(advice);
    }

    /** A run without a proxy, without task scenarios and without advice. */
    public MeasuredRun(
            Environment environment,
            String command,
            boolean isComplete,
            List<Experiment> experiments,
            List<Result> results,
            List<Missing> missing) {
        this(environment, command, isComplete, experiments, results, missing, Map.of(), List.of(), List.of());
    }
}
