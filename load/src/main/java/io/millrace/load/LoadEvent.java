// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.Difference;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * An event of a load, for progress displays and logs. The listener receives events one at a time and in order, on
 * threads of the load. A slow listener slows the load down.
 */
public sealed interface LoadEvent {

    /**
     * The source is open, and the loader is connected to Redis unless the load is a dry run. No row has been read yet.
     *
     * @param kind what the job is: a dry run and a verification write no row
     * @param expectedRows number of rows that will be read; empty if this number is not known exactly
     */
    record Started(LoadReport.Job.Kind kind, String source, String server, OptionalLong expectedRows)
            implements LoadEvent {}

    /**
     * A load with {@link CheckpointOptions#resume} begins.
     *
     * @param rows number of rows that earlier loads have done, and that this load skips. 0 if there is nothing to
     *     continue, as after a wrong name: then the load begins with the first row
     * @param place file or key of the checkpoint, for messages
     */
    record Resumed(long rows, String place) implements LoadEvent {}

    /**
     * Progress, ten times a second and once after the last row.
     *
     * @param share share of the source that has been read, 0.0 to 1.0. For a file it is the share of the bytes. For a
     *     table it is the share of the rows; the total number of rows may be an estimate by the database. Empty if the
     *     size of the source is unknown, as for a query or standard input
     */
    record Progress(RowCounts rows, long inFlight, long bytesSent, double seconds, OptionalDouble share)
            implements LoadEvent {

        /** Creates a progress event for a source of unknown size. */
        public Progress(RowCounts rows, long inFlight, long bytesSent, double seconds) {
            this(rows, inFlight, bytesSent, seconds, OptionalDouble.empty());
        }
    }

    /**
     * A row was rejected.
     *
     * @param row the row; valid only during the call
     * @param key key as text; empty if the row has none
     */
    record Rejected(Row row, String key, Rejection rejection) implements LoadEvent {}

    /**
     * Progress of the verification, ten times a second.
     *
     * @param share share of the source that has been read again, as in {@link Progress}
     */
    record Verifying(long checked, long mismatched, double seconds, OptionalDouble share) implements LoadEvent {

        /** Creates a progress event for a source of unknown size. */
        public Verifying(long checked, long mismatched, double seconds) {
            this(checked, mismatched, seconds, OptionalDouble.empty());
        }
    }

    /**
     * A problem that does not stop the load.
     *
     * @param message one line for the user
     */
    record Warned(String message) implements LoadEvent {}

    /**
     * A place in Redis differs from its row in the source. Sent at the end of a verification.
     *
     * @param key key as text
     */
    record Differed(String key, Difference difference) implements LoadEvent {}

    /** The load has ended. This event is the last event of the load. */
    record Finished(LoadReport report) implements LoadEvent {}
}
