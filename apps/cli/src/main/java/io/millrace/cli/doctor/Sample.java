// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import java.util.OptionalLong;

/**
 * The memory that sample rows of a source needed in a private server.
 *
 * @param rows number of sample rows
 * @param written number of sample rows that the private server accepted
 * @param bytes memory of the written rows, in bytes
 * @param totalRows number of rows of the source; empty if it is unknown
 * @param exact whether {@code totalRows} is exact, and not an estimate
 * @param grows whether more rows need more memory in proportion
 */
public record Sample(long rows, long written, long bytes, OptionalLong totalRows, boolean exact, boolean grows) {

    /** Memory of one written row, in bytes. */
    public double bytesPerRow() {
        return written == 0 ? 0 : (double) bytes / written;
    }

    /** Memory of all rows of the source, in bytes; empty if the number of rows is unknown. */
    public OptionalLong neededBytes() {
        if (totalRows.isEmpty() || rows == 0 || !grows) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.round((double) bytes / rows * totalRows.getAsLong()));
    }
}
