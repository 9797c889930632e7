// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What a source says of its size, brought together with the limit of the rows that are read of it. */
final class Expectation {

    private Expectation() {}

    /** How many rows will be read; empty if that is not known exactly. */
    static OptionalLong rows(OptionalLong inSource, OptionalLong limit) {
        return inSource.isPresent() && limit.isPresent()
                ? OptionalLong.of(Math.min(inSource.getAsLong(), limit.getAsLong()))
                : inSource;
    }

    /** Which share of the work is done: that of the source, or that of the limit if it is nearer. */
    static OptionalDouble share(OptionalDouble ofSource, long read, OptionalLong limit) {
        if (ofSource.isEmpty() || limit.isEmpty()) {
            return ofSource;
        }
        return OptionalDouble.of(Math.min(1, Math.max(ofSource.getAsDouble(), (double) read / limit.getAsLong())));
    }
}
