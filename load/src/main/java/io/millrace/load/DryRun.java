// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** A load that reads and maps every row, rejects the rows that cannot be written, and sends no command. */
record DryRun(LoadContext job, LoadReport.Job identity) {

    LoadReport run() {
        SampledTime time = new SampledTime(System::nanoTime, () -> 0);
        job.events()
                .dispatch(new LoadEvent.Started(
                        identity.kind(),
                        job.plan().source().name(),
                        "nowhere (dry run)",
                        ExpectedRows.rows(
                                job.reader().expectedRows(),
                                job.plan().options().limit())));
        try (EventDispatcher.ProgressThread ignored = job.events().startProgress(() -> job.progress(0, 0))) {
            job.loop(time, () -> false).run(new Row(), "", row -> use(row, time));
        }
        Stopwatch.ElapsedTimes took = job.stopwatch().times();
        job.rejectHandler().close(job.repetition());
        job.warnOfUndeterminedRows();
        Bottleneck bottleneck = time.sourceSeconds() >= time.mappingSeconds() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
        return new LoadReport(
                job.cancelSignal().ending(),
                identity,
                job.ledger().counts(),
                CommandCounts.NONE,
                FusionCounts.NONE,
                took.seconds(),
                took.cpuSeconds(),
                0,
                0,
                new Times(time.sourceSeconds(), time.mappingSeconds(), 0, 0),
                bottleneck,
                Optional.empty(),
                Optional.empty(),
                job.details());
    }

    private Row use(Row row, SampledTime time) {
        job.ledger().read();
        Optional<Rejection> rejection =
                row.isRejected() ? row.rejection() : job.mapping().prepare(row);
        time.mapped();
        if (rejection.isPresent()) {
            job.rejectHandler().rejectUnsent(row, rejection.get());
        } else {
            job.countKey();
            job.ledger().skipped();
        }
        return row;
    }
}
