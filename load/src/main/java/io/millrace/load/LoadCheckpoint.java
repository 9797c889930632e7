// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.Optional;

/**
 * The checkpoint of one load: which rows are done, so that another load can continue after an interruption.
 *
 * <pre>
 *   LocalCheckpoint      a file; for targets to which a row can be written twice without harm. The position may lag
 *                        behind the rows.
 *   CheckpointInTarget   a hash in Redis; for lists, streams and other targets. The position changes in the transaction
 *                        of the rows.
 * </pre>
 *
 * <p>Both read the source again from its first row, and skip the rows that are done. A digest of the skipped rows shows
 * whether they are the same rows. So each source can be resumed, and no source needs to find a row by its number.
 */
sealed interface LoadCheckpoint extends AutoCloseable permits LocalCheckpoint, CheckpointInTarget {

    /** The rows that earlier loads have done. */
    CheckpointPosition start();

    /** The file or the key of the checkpoint, for messages: {@code key=millrace:checkpoint:shop}. */
    String place();

    /** How the user removes the checkpoint to load from the beginning, for messages. */
    String removal();

    /** Begins the load behind the skipped rows, of which {@code digest} is the digest. */
    CheckpointRows begin(RowDigest digest);

    /**
     * Stores the last position, or removes the checkpoint. Called when every row that was read has an outcome.
     *
     * @param completed whether the source was read to its end
     * @param runId identity of the server that has the rows before the position; empty if it is unknown
     */
    LoadReport.Checkpoint end(boolean completed, Optional<String> runId);

    @Override
    void close();
}
