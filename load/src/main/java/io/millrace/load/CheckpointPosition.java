// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * A position in a source.
 *
 * @param rows number of rows before the position
 * @param digest digest of these rows, see {@link RowDigest}
 */
record CheckpointPosition(long rows, long digest) {

    /** The position before the first row. */
    static final CheckpointPosition START = new CheckpointPosition(0, 0);
}
