// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;

/** Follows the rows of a load for its checkpoint. Called on the loading thread. */
interface CheckpointRows {

    /** Called when {@code row} was read, in the order of the source. */
    void read(Row row);

    /** Called when {@code row} has an outcome after which it need not be sent again. */
    void done(Row row);

    /** Called when a row has an outcome after which a resumed load must send it again. */
    void leftOpen();

    /**
     * Called when rows that were done may have been taken back by a failover.
     *
     * @param firstRow number of the first of these rows
     */
    void takenBack(long firstRow);
}
