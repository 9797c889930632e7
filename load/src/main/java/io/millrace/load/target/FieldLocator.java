// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Computes the hash and the field that a row is written to. */
interface FieldLocator {

    /**
     * Appends the key of the hash and then the field name to {@code out}, which is empty. If {@code row} has no key or
     * no field, returns the rejection, and appends only the key if there is one.
     */
    Optional<Rejection> append(Row row, Bytes out);

    /** The number of bytes of the key in the last result of {@link #append}. */
    int keyLength();
}
