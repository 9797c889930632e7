// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a contender knows about its last round, in addition to the number of operations.
 *
 * @param outcomes empty if the contender does not count outcomes
 * @param complaints faults in the data that the contender read; empty if there is none
 * @param figures further figures by name
 * @param trace when tasks were produced and consumed; empty for other work
 * @param remark a sentence about what figures do not show; empty if there is none
 */
public record RoundDetails(
        Optional<Outcomes> outcomes,
        List<String> complaints,
        Map<String, Double> figures,
        Optional<Trace> trace,
        Optional<String> remark) {

    public static final RoundDetails NONE =
            new RoundDetails(Optional.empty(), List.of(), Map.of(), Optional.empty(), Optional.empty());

    public RoundDetails {
        complaints = List.copyOf(complaints);
        figures = Map.copyOf(figures);
    }

    public RoundDetails withOutcomes(Outcomes counted) {
        return new RoundDetails(Optional.of(counted), complaints, figures, trace, remark);
    }

    public RoundDetails withComplaints(List<String> found) {
        return new RoundDetails(outcomes, found, figures, trace, remark);
    }

    public RoundDetails withFigure(String name, double value) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        more.put(name, value);
        return new RoundDetails(outcomes, complaints, more, trace, remark);
    }

    public RoundDetails withFigures(Map<String, Double> added) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        more.putAll(added);
        return new RoundDetails(outcomes, complaints, more, trace, remark);
    }

    public RoundDetails withTrace(Trace recorded) {
        return new RoundDetails(outcomes, complaints, figures, Optional.of(recorded), remark);
    }

    public RoundDetails withRemark(String sentence) {
        return new RoundDetails(outcomes, complaints, figures, trace, Optional.of(sentence));
    }
}
