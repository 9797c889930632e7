// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.RowReader;
import io.millrace.load.target.RowMapping;
import java.util.function.BooleanSupplier;

/** The objects that all parts of one load share. */
record LoadContext(
        LoadPlan plan,
        RowReader reader,
        RowMapping mapping,
        Ledger ledger,
        RejectHandler rejectHandler,
        CancelSignal cancelSignal,
        EventDispatcher events,
        Stopwatch stopwatch) {

    /** The loop that reads the rows, until {@code enough} returns true before a row. */
    ReadLoop loop(SampledTime time, BooleanSupplier enough) {
        return new ReadLoop(reader, plan.options().limit(), cancelSignal, time, enough);
    }

    /** The current progress. */
    LoadEvent.Progress progress(long inFlight, long bytesSent) {
        RowCounts rows = ledger.counts();
        return new LoadEvent.Progress(
                rows,
                inFlight,
                bytesSent,
                stopwatch.seconds(),
                ExpectedRows.share(reader.share(), rows.read(), plan.options().limit()));
    }
}
