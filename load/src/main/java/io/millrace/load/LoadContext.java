// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.RowOrder;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * The objects that all parts of one load share.
 *
 * @param jobKeys the keys of the job that the load is a run of; empty for a load that only writes its rows
 */
record LoadContext(
        LoadPlan plan,
        RowReader reader,
        RowMapping mapping,
        Ledger ledger,
        RejectHandler rejectHandler,
        CancelSignal cancelSignal,
        EventDispatcher events,
        Stopwatch stopwatch,
        DistinctKeys keys,
        Optional<JobKeys> jobKeys) {

    /** The loop that reads the rows, until {@code enough} returns true before a row. */
    ReadLoop loop(SampledTime time, BooleanSupplier enough) {
        return loop(plan.options().limit(), time, enough);
    }

    /** The same, for a load that has read some rows before. */
    ReadLoop loop(OptionalLong limit, SampledTime time, BooleanSupplier enough) {
        return new ReadLoop(reader, limit, cancelSignal, time, enough);
    }

    /** Counts the place of the row that the mapping has prepared. An element of a list overwrites no other element. */
    void countKey() {
        if (mapping.repetition() != Repetition.ADDS_ROW_AGAIN) {
            keys.add(mapping.key(), mapping.keyAndFieldLength());
        }
    }

    /** The effect of loading the same rows again. A repeated load begins with new shadow keys. */
    Repetition repetition() {
        return plan.target() instanceof ShadowTarget ? Repetition.CHANGES_NOTHING : mapping.repetition();
    }

    /** Warns if it is not determined which of several rows with the same key remains. Called after the last row. */
    void warnOfUndeterminedRows() {
        boolean mayDiffer = !mapping.repeatedRowsAreEqual();
        if (mayDiffer
                && plan.source().order() == RowOrder.NONE
                && keys.repetition().isPresent()) {
            events.warn(
                    "several rows have the same key, and parts of a source that are read at once have no order: which"
                            + " of these rows remains is not determined. Use one reader.");
        }
    }

    /** The details of the report of a job that wrote no rows. */
    LoadReport.Details details() {
        return details(0, Optional.empty(), Optional.empty());
    }

    /** The details of the report. Called after the last row. */
    LoadReport.Details details(
            long evictedKeys, Optional<ReloadResult> reloaded, Optional<LoadReport.Checkpoint> checkpoint) {
        return new LoadReport.Details(
                keys.repetition(),
                rejectHandler.unconfirmedRows(),
                ledger.takenBack(),
                evictedKeys,
                events.warnings(),
                repetition(),
                reloaded,
                checkpoint);
    }

    /** The current progress. Also writes rejected rows to disk that have waited for a second. Any thread. */
    LoadEvent.Progress progress(long inFlight, long bytesSent) {
        rejectHandler.flushIfDue();
        RowCounts rows = ledger.counts();
        return new LoadEvent.Progress(
                rows,
                inFlight,
                bytesSent,
                stopwatch.seconds(),
                ExpectedRows.share(reader.share(), rows.read(), plan.options().limit()));
    }
}
