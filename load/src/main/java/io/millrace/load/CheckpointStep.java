// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/** The points of a load with a checkpoint at which a test kills the process. In the order in which they occur. */
enum CheckpointStep {
    /** The checkpoint is open, and no row has been read. */
    OPENED,
    /** The rows that an earlier load has done were read again. */
    SKIPPED,
    /** File: the position is written, but not yet on the disk. */
    WRITTEN,
    /** File: the position is on the disk. */
    SAVED,
    /** Hash: a transaction is complete, and not yet sent. */
    COLLECTED,
    /** Hash: a transaction has been executed, and its rows are not yet counted. */
    EXECUTED,
    /** All rows have their outcomes, and the last position is not yet stored. */
    ALL_ANSWERED,
    /** The last position is stored, or the checkpoint is removed. */
    ENDED;

    /** Receives the steps, on the threads of the load. */
    interface Listener {

        /** Does nothing. */
        Listener NONE = step -> {};

        void reached(CheckpointStep step);
    }
}
