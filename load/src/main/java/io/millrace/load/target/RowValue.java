// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** The one value that a row becomes, as the string under a key or as a field of a hash. */
sealed interface RowValue permits TemplateValue, JsonDocument {

    /** Why {@code row} has no value; empty if it has one. */
    Optional<Rejection> absence(Row row);

    /** Appends the value of {@code row}, which must have one. */
    void render(Row row, Bytes out);
}
