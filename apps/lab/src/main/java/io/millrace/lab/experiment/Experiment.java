// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.List;

/**
 * A question, and the scenarios that answer it.
 *
 * @param name on the command line, such as {@code e1}
 * @param title a few words, such as {@code Connection patterns}
 * @param question what the experiment finds out, in one sentence
 * @param scenarios in the order in which they run
 */
public record Experiment(String name, String title, String question, List<Scenario> scenarios) {

    public Experiment {
        scenarios = List.copyOf(scenarios);
    }

    /**
     * The scenario called {@code scenario}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Scenario scenario(String scenario) {
        return scenarios.stream()
                .filter(candidate -> candidate.name().equals(scenario))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such scenario: experiment=" + name + ", scenario="
                        + scenario + ". There are: "
                        + scenarios.stream().map(Scenario::name).toList()));
    }
}
