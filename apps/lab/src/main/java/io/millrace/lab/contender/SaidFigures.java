// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.LabException;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Figures that a program has printed as {@code name=value}. */
record SaidFigures(Map<String, Double> values) {

    private static final Pattern FIGURE = Pattern.compile("(\\w+)=([\\d.]+)");

    static SaidFigures in(String output) {
        return new SaidFigures(FIGURE.matcher(output)
                .results()
                .collect(Collectors.toMap(figure -> figure.group(1), figure -> Double.parseDouble(figure.group(2)))));
    }

    /**
     * The figure {@code name}.
     *
     * @throws LabException if it was not said
     */
    double of(String name) {
        var figure = values.get(name);
        if (figure == null) {
            throw new LabException("a program did not say all: figure=" + name + ", said=" + values);
        }
        return figure;
    }
}
