// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Sentences about a report: the library that leads most often, the scenarios without a proved difference, and the
 * scenarios in which Millrace is behind. Millrace takes part with one mode, each other library with the best of its
 * modes. The mode of Millrace is its default mode, or in a pipeline the mode that sends the same commands as the others.
 */
record Findings(List<String> sentences) {

    static final String OURS = "millrace";

    private static final int MAX_NAMED = 3;

    /** The best library of a scenario, and the best of the other libraries. */
    private record Lead(ComparedScenario scenario, Row first, Row second, Estimate factor) {

        boolean isProved() {
            return factor.isDistinctFrom(1);
        }

        String title() {
            return "“" + scenario.title() + "”";
        }

        /** Such as {@code “8 callers” (commands per second): 1.20 (1.10 to 1.30) times as good as jedis}. */
        String text() {
            return title() + measure() + ": " + Formats.ratio(factor) + " times as good as " + second.library();
        }

        /** Such as {@code “8 callers” (commands per second): jedis is 1.20 (1.10 to 1.30) times as good}. */
        String reversed() {
            return title() + measure() + ": " + first.library() + " is " + Formats.ratio(factor) + " times as good";
        }

        private String measure() {
            return " (" + scenario.measure() + (scenario.lessIsBetter() ? ", less is better)" : ")");
        }
    }

    static Findings of(ReadReport report) {
        return of(report.scenarios());
    }

    static Findings of(List<ComparedScenario> scenarios) {
        List<Lead> leads = new ArrayList<>();
        for (ComparedScenario scenario : scenarios.stream()
                .flatMap(scenario -> scenario.comparisons().stream())
                .toList()) {
            scenario.best()
                    .ifPresent(first -> scenario.bestExcept(first.library())
                            .ifPresent(second ->
                                    leads.add(new Lead(scenario, first, second, scenario.lead(first, second)))));
        }
        if (leads.isEmpty()) {
            return new Findings(List.of("No libraries are compared here."));
        }
        if (leads.stream().noneMatch(lead -> lead.factor().hasEnoughValues())) {
            return new Findings(List.of("Too few rounds to compare in " + scenarios(leads.size())
                    + ": one of the first two libraries has fewer than " + Estimate.MIN_COUNT + " rounds."));
        }
        List<Lead> known =
                leads.stream().filter(lead -> lead.factor().hasEnoughValues()).toList();
        List<String> sentences = new ArrayList<>(List.of(winner(known), ties(known), losses(known)));
        if (known.size() < leads.size()) {
            sentences.add("Too few rounds to compare in " + scenarios(leads.size() - known.size()) + ".");
        }
        return new Findings(List.copyOf(sentences));
    }

    private static String winner(List<Lead> leads) {
        Map<String, List<Lead>> byLibrary = leads.stream()
                .filter(Lead::isProved)
                .collect(
                        Collectors.groupingBy(lead -> lead.first().library(), LinkedHashMap::new, Collectors.toList()));
        var most = byLibrary.entrySet().stream()
                .max(Comparator.comparingInt(entry -> entry.getValue().size()));
        if (most.isEmpty()) {
            return "No library leads in any of " + scenarios(leads.size()) + ".";
        }
        String others = byLibrary.entrySet().stream()
                .filter(entry -> !entry.equals(most.get()))
                .map(entry -> entry.getKey() + " in " + entry.getValue().size())
                .collect(Collectors.joining(", "));
        List<Lead> wins = most.get().getValue();
        wins.sort(Comparator.comparingDouble((Lead lead) -> lead.factor().median())
                .reversed());
        return most.get().getKey() + " leads in " + wins.size() + " of " + scenarios(leads.size())
                + (others.isEmpty() ? "" : " (" + others + ")") + ". The largest lead is in "
                + wins.getFirst().text()
                + ".";
    }

    private static String ties(List<Lead> leads) {
        List<Lead> ties = leads.stream().filter(lead -> !lead.isProved()).toList();
        if (ties.isEmpty()) {
            return "In every scenario the first library differs from the second.";
        }
        return "In " + scenarios(ties.size()) + " no difference between the first two libraries is proved: "
                + listed(ties.stream()
                        .map(lead -> lead.title() + " (" + lead.first().library() + " and "
                                + lead.second().library() + ")")
                        .toList())
                + ".";
    }

    private static String losses(List<Lead> leads) {
        List<Lead> losses = new ArrayList<>();
        boolean takesPart = false;
        for (Lead lead : leads) {
            Row own = lead.scenario().bestOfLibraries().get(OURS);
            takesPart |= own != null;
            if (own != null && !lead.first().library().equals(OURS)) {
                Estimate factor = lead.scenario().lead(lead.first(), own);
                losses.add(new Lead(lead.scenario(), lead.first(), own, factor));
            }
        }
        List<Lead> proved = losses.stream()
                .filter(Lead::isProved)
                .sorted(Comparator.comparingDouble((Lead lead) -> lead.factor().median())
                        .reversed())
                .toList();
        if (!takesPart) {
            return "Millrace does not take part.";
        }
        return proved.isEmpty()
                ? "In no scenario is another library proved to be ahead of Millrace."
                : "Millrace is behind in " + scenarios(proved.size()) + ": "
                        + listed(proved.stream().map(Lead::reversed).toList()) + ".";
    }

    private static String scenarios(int number) {
        return number + (number == 1 ? " scenario" : " scenarios");
    }

    private static String listed(List<String> names) {
        String shown = names.stream().limit(MAX_NAMED).collect(Collectors.joining("; "));
        return names.size() <= MAX_NAMED ? shown : shown + "; and " + (names.size() - MAX_NAMED) + " more";
    }
}
