// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Row;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Writes the values of one type of Spark as the bytes that Redis receives. Confined to one thread. */
interface ValueWriter {

    /**
     * Appends the value at {@code ordinal}, which is not NULL, to {@code out}.
     *
     * @return the kind of the value: {@code TEXT}, {@code NUMBER}, {@code BOOLEAN}, {@code BYTES} or {@code JSON}
     */
    Row.Kind write(SpecializedGetters from, int ordinal, ByteText out);
}
