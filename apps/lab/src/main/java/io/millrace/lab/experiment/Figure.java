// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.OptionalDouble;

/** A number that is calculated from each sample. */
@FunctionalInterface
public interface Figure {

    /** Seconds of wall time for one round. */
    Figure WALL_SECONDS = sample -> OptionalDouble.of(sample.wallSeconds());

    /** Seconds of wall time for one unit of work. */
    Figure UNIT_SECONDS = sample -> OptionalDouble.of(sample.wallSeconds() / sample.units());

    /** CPU time of the client in user mode for one unit of work, in seconds; empty if too short to be exact. */
    Figure USER_SECONDS = sample -> exact(sample, sample.client().userSeconds() / sample.units());

    /** CPU time of the client in the system for one unit of work, in seconds; empty if too short to be exact. */
    Figure SYSTEM_SECONDS = sample -> exact(sample, sample.client().systemSeconds() / sample.units());

    /** CPU time of the client as a percentage of the wall time; 100 is one busy core. Empty if too short to be exact. */
    Figure CPU_PERCENT = sample -> exact(sample, 100 * sample.client().seconds() / sample.wallSeconds());

    /** Operations per second of wall time. */
    Figure PER_SECOND = sample -> OptionalDouble.of(sample.perSecond());

    /** CPU time of the client per operation, in microseconds; empty if the CPU time is too short to be exact. */
    Figure CLIENT_CPU_MICROS = sample -> sample.client().isExact() && sample.operations() > 0
            ? OptionalDouble.of(sample.client().seconds() * 1e6 / sample.operations())
            : OptionalDouble.empty();

    /** CPU time of the server per operation, in microseconds; empty without a server, or if too short to be exact. */
    Figure SERVER_CPU_MICROS =
            sample -> sample.server().isPresent() && sample.server().get().isExact() && sample.operations() > 0
                    ? OptionalDouble.of(sample.server().get().seconds() * 1e6 / sample.operations())
                    : OptionalDouble.empty();

    /** The part of the wall time in which the server was busy, 0 to 1 for a server with one thread. */
    Figure SERVER_BUSY = sample -> sample.server().isPresent()
            ? OptionalDouble.of(sample.server().get().seconds() / sample.wallSeconds())
            : OptionalDouble.empty();

    /** A figure that the contender gives under {@code name}. */
    static Figure own(String name) {
        return sample -> {
            Double value = sample.details().figures().get(name);
            return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
        };
    }

    private static OptionalDouble exact(Sample sample, double value) {
        return sample.client().isExact() ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    OptionalDouble of(Sample sample);
}
