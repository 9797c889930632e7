// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.RowReader;
import io.millrace.load.target.RowMapping;

/** What the parts of one run have in common. */
record Job(
        LoadPlan plan,
        RowReader reader,
        RowMapping mapping,
        Ledger ledger,
        RejectDesk desk,
        StopSign stop,
        Events events,
        Stopwatch stopwatch) {

    /** A loop over the rows of this job. */
    RowLoop loop(SampledTime time) {
        return new RowLoop(reader, plan.options().limit(), stop, time, () -> false);
    }

    /** The progress at this moment. */
    LoadEvent.Progress progress(long inFlight, long bytesSent) {
        RowCounts rows = ledger.counts();
        return new LoadEvent.Progress(
                rows,
                inFlight,
                bytesSent,
                stopwatch.seconds(),
                Expectation.share(reader.share(), rows.read(), plan.options().limit()));
    }
}
