// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Objects;

/** A figure that every round of a run has, or may have. */
@FunctionalInterface
public interface Figure {

    /** Wall time in seconds. */
    Figure WALL = run -> run.series(sample -> sample.measured().wallSeconds());

    /** Operations per second of wall time. */
    Figure PER_SECOND = run ->
            run.series(sample -> run.operations(sample) / sample.measured().wallSeconds());

    /** CPU of the client per operation, in microseconds. */
    Figure CPU_MICROS = run -> run.series(sample -> sample.measured().cpuSeconds() * 1e6 / run.operations(sample));

    /** The part of the wall time in which the server was busy. */
    Figure SERVER_SHARE = run -> run.series(Sample::serverShare);

    /** A figure that the contender itself gives. */
    static Figure own(String name) {
        return run -> new Series(run.counted().stream()
                .map(sample -> sample.measured().figures().get(name))
                .filter(Objects::nonNull)
                .toList());
    }

    /** Round by round; fewer values than rounds where it is not known. */
    Series of(Run run);
}
