// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A library, in its ways of going through a scenario and of handing over tasks that do nothing. One class each, and one
 * line: in {@link TaskLibraries}, or in {@code META-INF/services}. Made in the lab's own JVM too, where nothing of it
 * is run: what takes time or threads is made when an approach runs.
 */
public interface TaskLibrary {

    /** In one word, such as {@code jdk}. */
    String name();

    /** Its approaches; not every library has one for every plan. */
    Map<Plan, Described<Approach>> approaches();

    /**
     * Its machineries, by what tells them apart in variants: {@code ""} for the one that its users would take first,
     * and words such as {@code platform-threads} for others.
     */
    Map<String, Described<Machinery>> machineries();

    /**
     * A way and how it is written.
     *
     * @param way run again and again, by one thread at a time
     * @param note the calls and settings it is made of, for people
     * @param unfair why it is not measured by the same rule as the others; empty if it is
     */
    record Described<T>(T way, String note, Optional<String> unfair) {

        public Described(T way, String note) {
            this(way, note, Optional.empty());
        }

        /** The same, called unfair. */
        public Described<T> butUnfair(String why) {
            return new Described<>(way, note, Optional.of(why));
        }

        /**
         * Each way with its note, in the order of the ways, in a map that may be changed.
         *
         * @throws IllegalArgumentException if a way has no note, or a note no way
         */
        public static <T> Map<String, Described<T>> each(Map<String, T> ways, Map<String, String> notes) {
            if (!ways.keySet().equals(notes.keySet())) {
                throw new IllegalArgumentException(
                        "not a note for each way: ways=" + ways.keySet() + ", notes=" + notes.keySet());
            }
            var described = new LinkedHashMap<String, Described<T>>();
            ways.forEach((name, way) -> described.put(name, new Described<>(way, String.valueOf(notes.get(name)))));
            return described;
        }

        /** The same for approaches, by the plans that their names are the words of. */
        public static Map<Plan, Described<Approach>> approaches(Map<String, Approach> ways, Map<String, String> notes) {
            return each(ways, notes).entrySet().stream()
                    .collect(Collectors.toMap(one -> Plan.named(one.getKey()), Map.Entry::getValue));
        }
    }
}
