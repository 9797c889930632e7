// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The BITOP steps that compute a set expression on the server. Registers 1, 2, ... are the keys of the sources.
 * Registers -1, -2, ... are temporary keys, and the last temporary key contains the result. A program without steps has
 * a single source, which is the result.
 *
 * @param steps each step is an operation, a destination and operands, such as {@code OR -1 1 2 3}
 */
record BitopProgram(List<EventSpan> sources, List<String> steps) {

    static BitopProgram of(SetExpression setExpression, Granularity granularity) {
        Compiler compiler = new Compiler();
        SetOperations.evaluate(setExpression, granularity, compiler);
        return new BitopProgram(List.copyOf(compiler.registers.keySet()), List.copyOf(compiler.steps));
    }

    boolean isSource() {
        return steps.isEmpty();
    }

    private static final class Compiler implements SetOperations<Integer> {

        private final Map<EventSpan, Integer> registers = new LinkedHashMap<>();
        private final List<String> steps = new ArrayList<>();

        @Override
        public Integer active(EventSpan eventSpan) {
            return registers.computeIfAbsent(eventSpan, added -> registers.size() + 1);
        }

        @Override
        public Integer union(List<Integer> parts) {
            return step("OR", parts);
        }

        @Override
        public Integer intersection(List<Integer> parts) {
            return step("AND", parts);
        }

        /**
         * This method does not use NOT. The result of NOT has the length of {@code excluded}. If {@code base} is
         * longer, an AND with this result would remove the bits of {@code base} after this length.
         */
        @Override
        public Integer difference(Integer base, Integer excluded) {
            int both = step("AND", List.of(base, excluded));
            return step("XOR", List.of(base, both));
        }

        private int step(String operation, List<Integer> operands) {
            int destination = -1 - steps.size();
            steps.add(Stream.concat(Stream.of(operation, destination), operands.stream())
                    .map(String::valueOf)
                    .collect(Collectors.joining(" ")));
            return destination;
        }
    }
}
