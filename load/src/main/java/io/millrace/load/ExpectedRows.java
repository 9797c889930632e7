// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The expected number of rows, from the size of the source and the row limit. */
final class ExpectedRows {

    private ExpectedRows() {}

    /** The number of rows that the load will read; empty if this number is not known exactly. */
    static OptionalLong rows(OptionalLong inSource, OptionalLong limit) {
        return inSource.isPresent() && limit.isPresent()
                ? OptionalLong.of(Math.min(inSource.getAsLong(), limit.getAsLong()))
                : inSource;
    }

    /**
     * The share of the work that is done, 0.0 to 1.0. If the load has a row limit, this is the larger of two shares:
     * the share of the source, and the share of the limit.
     */
    static OptionalDouble share(OptionalDouble ofSource, long read, OptionalLong limit) {
        if (ofSource.isEmpty() || limit.isEmpty()) {
            return ofSource;
        }
        return OptionalDouble.of(Math.min(1, Math.max(ofSource.getAsDouble(), (double) read / limit.getAsLong())));
    }
}
