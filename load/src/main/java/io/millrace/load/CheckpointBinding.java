// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The facts that two loads must have in common, so that one can continue the other: the source, its columns and the
 * target. Options that do not change the rows or their commands, such as the rate, are not among them.
 */
record CheckpointBinding(SortedMap<String, String> facts) {

    /** Prefix of the facts in a stored checkpoint. */
    private static final String PREFIX = "plan.";

    /** Number of characters of a value in a message. */
    private static final int SHOWN = 120;

    static CheckpointBinding of(LoadPlan plan, List<Column> columns) {
        SortedMap<String, String> facts = new TreeMap<>();
        facts.put("source", plan.source().name());
        plan.source().identity().forEach((fact, value) -> facts.put("source " + fact, value));
        facts.put("columns", columns.stream().map(Column::name).collect(Collectors.joining(",")));
        facts.put("target", plan.target().toString());
        return new CheckpointBinding(facts);
    }

    /** The binding in a stored checkpoint. */
    static CheckpointBinding in(Map<String, String> stored) {
        SortedMap<String, String> facts = new TreeMap<>();
        stored.forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                facts.put(name.substring(PREFIX.length()), value);
            }
        });
        return new CheckpointBinding(facts);
    }

    /** Adds the facts to a checkpoint that will be stored. */
    void addTo(Map<String, String> stored) {
        facts.forEach((name, value) -> stored.put(PREFIX + name, value));
    }

    /**
     * The first difference of the current plan, as text: {@code source bytes: at the checkpoint 1024, now 2048}. Empty
     * if there is none.
     */
    Optional<String> difference(CheckpointBinding now) {
        SortedMap<String, String> all = new TreeMap<>(facts);
        all.putAll(now.facts);
        for (String fact : all.keySet()) {
            String before = facts.getOrDefault(fact, "absent");
            String after = now.facts.getOrDefault(fact, "absent");
            if (!before.equals(after)) {
                int from = firstDifference(before, after);
                return Optional.of(fact + ": at the checkpoint " + shown(before, from) + ", now " + shown(after, from));
            }
        }
        return Optional.empty();
    }

    /** The begin of the component that differs first, in a text such as {@code HashTarget[options=…, ttl=…]}. */
    private static int firstDifference(String one, String other) {
        int at = 0;
        int component = 0;
        while (at < one.length() && at < other.length() && one.charAt(at) == other.charAt(at)) {
            char c = one.charAt(at++);
            if (c == '[' || c == ',') {
                component = at;
            }
        }
        return component;
    }

    private static String shown(String value, int from) {
        String rest = value.substring(from).strip();
        return rest.length() <= SHOWN ? rest : rest.substring(0, SHOWN) + "…";
    }
}
