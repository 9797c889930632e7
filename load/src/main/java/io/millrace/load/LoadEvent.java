// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.util.OptionalLong;

/**
 * What happens during a load, for progress displays and logs. Events come one at a time, in order, from threads of the
 * load; a listener that is slow slows the load down.
 */
public sealed interface LoadEvent {

    /**
     * Source and Redis are open; rows are about to flow.
     *
     * @param expectedRows how many rows there will be, where the source can tell
     */
    record Started(String source, String server, OptionalLong expectedRows) implements LoadEvent {}

    /** Several times a second, and once at the end of the rows. */
    record Progress(RowCounts rows, long inFlight, long bytesSent, double seconds) implements LoadEvent {}

    /**
     * A row was rejected.
     *
     * @param row its values, valid only during the call
     * @param key as text; empty if the row has none
     */
    record Rejected(Row row, String key, Rejection rejection) implements LoadEvent {}

    /** Reading back, several times a second. */
    record Verifying(long checked, long mismatched, double seconds) implements LoadEvent {}

    /** The last event. */
    record Finished(LoadReport report) implements LoadEvent {}
}
