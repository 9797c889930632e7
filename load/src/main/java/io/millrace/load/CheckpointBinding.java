// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** The name of a component of a record, in the text of the record. */
    private static final Pattern COMPONENT = Pattern.compile("[\\[,] ?(\\w+)=");

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
                int at = Arrays.mismatch(before.toCharArray(), after.toCharArray());
                return Optional.of(fact + ": at the checkpoint " + shown(before, at) + ", now " + shown(after, at));
            }
        }
        return Optional.empty();
    }

    /**
     * The part of {@code value} with the difference at {@code at}. In a text such as {@code HashTarget[options=…, ttl=…]}
     * this is the component with its name.
     */
    private static String shown(String value, int at) {
        int component = beginOfComponent(value, Math.min(at, value.length()));
        String part = component < 0 ? value.substring(at < SHOWN ? 0 : at - SHOWN / 2) : component(value, component);
        return part.length() <= SHOWN ? part : part.substring(0, SHOWN) + "…";
    }

    /** The index of the last name of a component before {@code at}; -1 if there is none. */
    private static int beginOfComponent(String value, int at) {
        Matcher names = COMPONENT.matcher(value.substring(0, at));
        int begin = -1;
        while (value.endsWith("]") && names.find()) {
            begin = names.start(1);
        }
        return begin;
    }

    /** The component that begins at {@code begin}, without the comma or the bracket after it. */
    private static String component(String value, int begin) {
        int depth = 0;
        for (int at = begin; at < value.length(); at++) {
            char c = value.charAt(at);
            if (depth == 0 && (c == ',' || c == ']')) {
                return value.substring(begin, at);
            }
            if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            }
        }
        return value.substring(begin);
    }
}
