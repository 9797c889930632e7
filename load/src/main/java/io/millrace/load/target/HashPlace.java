// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Where the value of a row goes that is one field of a hash. */
interface HashPlace {

    /**
     * Appends the key of the hash and then the field to {@code out}, which is empty; or says why {@code row} has none, and appends its
     * key as far as there is one.
     */
    Optional<Rejection> append(Row row, Bytes out);

    /** How much of what {@link #append} has appended last is the key. */
    int keyLength();
}
