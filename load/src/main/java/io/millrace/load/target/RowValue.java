// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Renders the single value of a row, for a string or for a field of a hash. */
interface RowValue {

    /** A rejection if {@code row} has no value. */
    Optional<Rejection> checkValue(Row row);

    /** Appends the value of {@code row}. Call this only if {@link #checkValue} is empty. */
    void render(Row row, Bytes out);
}
