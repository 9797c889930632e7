// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/** A figure that every round of a run has, or may have. */
@FunctionalInterface
public interface Figure {

    /** Wall time in seconds. */
    Figure WALL = run -> run.series(sample -> sample.measured().wallSeconds());

    /** Operations per second of wall time. */
    Figure PER_SECOND = run ->
            run.series(sample -> run.operations(sample) / sample.measured().wallSeconds());

    /** Wall time per operation, in nanoseconds. */
    Figure NANOS_PER_OPERATION =
            run -> run.series(sample -> sample.measured().wallSeconds() * 1e9 / run.operations(sample));

    /** CPU of the client per operation, in microseconds. */
    Figure CPU_MICROS = run -> run.series(sample -> sample.measured().cpuSeconds() * 1e6 / run.operations(sample));

    /** The part of the wall time in which the server was busy; not known where there is none. */
    Figure SERVER_SHARE = run -> new Series(run.counted().stream()
            .map(Sample::serverShare)
            .filter(OptionalDouble::isPresent)
            .map(OptionalDouble::getAsDouble)
            .toList());

    /** CPU of the server per operation, in microseconds; no values if the workload has no server. */
    Figure SERVER_CPU_MICROS = run -> new Series(run.counted().stream()
            .filter(sample -> sample.serverCpuSeconds().isPresent())
            .map(sample -> sample.serverCpuSeconds().getAsDouble() * 1e6 / run.operations(sample))
            .toList());

    /** A figure that the contender itself gives. */
    static Figure own(String name) {
        return run -> new Series(run.counted().stream()
                .map(sample -> sample.measured().figures().get(name))
                .filter(Objects::nonNull)
                .toList());
    }

    /** Such figures by their names, in this order. */
    static Map<String, Figure> allOwn(String... names) {
        var figures = new LinkedHashMap<String, Figure>();
        for (var name : names) {
            figures.put(name, own(name));
        }
        return Collections.unmodifiableMap(figures);
    }

    /** Round by round; fewer values than rounds where it is not known. */
    Series of(Run run);
}
