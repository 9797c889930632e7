// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Reads and maps every row, rejects those that cannot be written, and sends nothing. */
record DryRun(Job job) {

    LoadReport run() {
        SampledTime time = new SampledTime(System::nanoTime, () -> 0);
        job.events()
                .tell(new LoadEvent.Started(
                        job.plan().source().name(),
                        "nowhere (dry run)",
                        Expectation.rows(
                                job.reader().expectedRows(),
                                job.plan().options().limit())));
        try (Events.Ticking ignored = job.events().tellRegularly(() -> job.progress(0, 0))) {
            job.loop(time).run(new Row(), "", row -> use(row, time));
        }
        Stopwatch.Times took = job.stopwatch().times();
        job.desk().close();
        Bottleneck bottleneck = time.sourceSeconds() >= time.mappingSeconds() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
        return new LoadReport(
                job.stop().ending(),
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
                Optional.empty());
    }

    private Row use(Row row, SampledTime time) {
        job.ledger().read();
        Optional<Rejection> rejection =
                row.isRejected() ? row.rejection() : job.mapping().prepare(row);
        time.mapped();
        if (rejection.isPresent()) {
            job.desk().rejectUnsent(row, rejection.get());
        } else {
            job.ledger().skipped();
        }
        return row;
    }
}
