// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import java.util.function.Supplier;

/**
 * The rows of one partition as the source of a load.
 *
 * @param readableAgain whether {@code reader} returns a new reader each time
 */
record PartitionSource(String name, boolean readableAgain, Supplier<RowReader> reader) implements RowSource {

    @Override
    public RowReader open() {
        return reader.get();
    }
}
