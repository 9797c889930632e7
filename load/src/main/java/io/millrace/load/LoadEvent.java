// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What happens during a load, for progress displays and logs. Events come one at a time, in order, from threads of the
 * load; a listener that is slow slows the load down.
 */
public sealed interface LoadEvent {

    /**
     * Source and Redis are open; rows are about to flow.
     *
     * @param expectedRows how many rows will be read; only where that is known exactly
     */
    record Started(String source, String server, OptionalLong expectedRows) implements LoadEvent {}

    /**
     * Several times a second, and once at the end of the rows.
     *
     * @param share of the source that has been read, 0.0 to 1.0: bytes of a file, rows of a table, whose number may be the
     *     database's estimate; empty where the end cannot be foreseen, as for a query or standard input
     */
    record Progress(RowCounts rows, long inFlight, long bytesSent, double seconds, OptionalDouble share)
            implements LoadEvent {

        /** Progress towards an end that cannot be foreseen. */
        public Progress(RowCounts rows, long inFlight, long bytesSent, double seconds) {
            this(rows, inFlight, bytesSent, seconds, OptionalDouble.empty());
        }
    }

    /**
     * A row was rejected.
     *
     * @param row its values, valid only during the call
     * @param key as text; empty if the row has none
     */
    record Rejected(Row row, String key, Rejection rejection) implements LoadEvent {}

    /**
     * Reading back, several times a second.
     *
     * @param share of the source that has been read again, as in {@link Progress}
     */
    record Verifying(long checked, long mismatched, double seconds, OptionalDouble share) implements LoadEvent {

        /** Progress towards an end that cannot be foreseen. */
        public Verifying(long checked, long mismatched, double seconds) {
            this(checked, mismatched, seconds, OptionalDouble.empty());
        }
    }

    /**
     * Something that is not as it should be and does not keep the load from going on.
     *
     * @param message one line for a person
     */
    record Warned(String message) implements LoadEvent {}

    /** The last event. */
    record Finished(LoadReport report) implements LoadEvent {}
}
