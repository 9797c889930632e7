// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.util.zip.CRC32C;

/**
 * A digest of the first rows of a source: of their values and their order. A load that continues an earlier
 * load reads these rows again, and compares the digests. So it notices a changed row or another order. The digest finds
 * accidental differences; it is no protection against a forger. Confined to one thread.
 */
final class RowDigest {

    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private final CRC32C bytes = new CRC32C();
    private long rows;
    /** Digest of the lengths of all values. NULL differs from an empty value. */
    private long shape;

    /** Adds a row. A rejected row counts with the values that it has. */
    void add(Row row) {
        rows++;
        int columns = row.size();
        if (columns == 0) {
            shape = shape * FACTOR + 1;
            return;
        }
        long next = shape;
        for (int column = 0; column < columns; column++) {
            next = next * FACTOR + 2L * row.length(column) + (row.isNull(column) ? 2 : 3);
        }
        shape = next * FACTOR;
        bytes.update(row.bytes(), 0, row.start(columns - 1) + row.length(columns - 1));
    }

    /** The number of rows so far. */
    long rows() {
        return rows;
    }

    /** The position after the rows so far. */
    CheckpointPosition position() {
        return rows == 0
                ? CheckpointPosition.START
                : new CheckpointPosition(rows, (bytes.getValue() << 32) ^ (shape ^ (shape >>> 32)));
    }
}
