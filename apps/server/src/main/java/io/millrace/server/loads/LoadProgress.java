// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import io.millrace.load.RowCounts;
import org.jspecify.annotations.Nullable;

/**
 * The newest progress of a load.
 *
 * @param version grows with each event of the load
 * @param phase {@code starting}, {@code loading} or {@code verifying}
 * @param share share of the source that has been read, 0 to 1; null if the size of the source is unknown
 */
public record LoadProgress(
        long version,
        String phase,
        RowCounts rows,
        long inFlight,
        long bytesSent,
        double seconds,
        @Nullable Double share,
        long verified,
        long mismatched) {

    static final LoadProgress NONE = new LoadProgress(0, "starting", new RowCounts(0, 0, 0, 0, 0), 0, 0, 0, null, 0, 0);

    /** Returns the progress after an event. */
    LoadProgress after(LoadEvent event) {
        return switch (event) {
            case LoadEvent.Progress now ->
                new LoadProgress(
                        version + 1,
                        "loading",
                        now.rows(),
                        now.inFlight(),
                        now.bytesSent(),
                        now.seconds(),
                        now.share().isPresent() ? now.share().getAsDouble() : null,
                        0,
                        0);
            case LoadEvent.Verifying now ->
                new LoadProgress(
                        version + 1,
                        "verifying",
                        rows,
                        0,
                        bytesSent,
                        now.seconds(),
                        now.share().isPresent() ? now.share().getAsDouble() : null,
                        now.checked(),
                        now.mismatched());
            case LoadEvent.Started ignored -> this;
            case LoadEvent.Resumed ignored -> this;
            case LoadEvent.Rejected ignored -> this;
            case LoadEvent.Warned ignored -> this;
            case LoadEvent.Differed ignored -> this;
            case LoadEvent.Finished ignored -> this;
        };
    }
}
