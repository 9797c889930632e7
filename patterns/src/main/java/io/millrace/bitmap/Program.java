// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the server puts an audience together from what is kept: steps of BITOP. Registers from 1 on are the sources, those from -1 down
 * are temporaries, of which the last is the result. Without steps the only source is the result.
 *
 * @param steps such as {@code OR -1 1 2 3}: operation, destination, operands
 */
record Program(List<Source> sources, List<String> steps) {

    static Program of(Audience audience, Grain grain) {
        Compiler compiler = new Compiler();
        Algebra.fold(audience, grain, compiler);
        return new Program(List.copyOf(compiler.registers.keySet()), List.copyOf(compiler.steps));
    }

    boolean isSource() {
        return steps.isEmpty();
    }

    private static final class Compiler implements Algebra<Integer> {

        private final Map<Source, Integer> registers = new LinkedHashMap<>();
        private final List<String> steps = new ArrayList<>();

        @Override
        public Integer active(Source source) {
            return registers.computeIfAbsent(source, added -> registers.size() + 1);
        }

        @Override
        public Integer union(List<Integer> parts) {
            return step("OR", parts);
        }

        @Override
        public Integer intersection(List<Integer> parts) {
            return step("AND", parts);
        }

        /** Not by NOT, whose result ends where its source ends, though behind that all bits would be set. */
        @Override
        public Integer difference(Integer those, Integer taken) {
            int both = step("AND", List.of(those, taken));
            return step("XOR", List.of(those, both));
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
