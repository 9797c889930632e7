// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.RowMapping;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads and maps every row, rejects those that cannot be written, and sends nothing. */
record DryRun(
        LoadPlan plan,
        RowReader reader,
        RowMapping mapping,
        Ledger ledger,
        RejectDesk desk,
        StopSign stop,
        Events events) {

    LoadReport run(Stopwatch stopwatch) {
        SampledTime time = new SampledTime();
        events.tell(new LoadEvent.Started(plan.source().name(), "nowhere (dry run)", OptionalLong.empty()));
        try (Events.Ticking ignored =
                events.tellRegularly(() -> new LoadEvent.Progress(ledger.counts(), 0, 0, stopwatch.seconds()))) {
            readAll(time);
        }
        desk.flush();
        Stopwatch.Times took = stopwatch.times();
        Bottleneck bottleneck = time.sourceSeconds() >= time.mappingSeconds() ? Bottleneck.SOURCE : Bottleneck.MAPPING;
        return new LoadReport(
                stop.ending(),
                ledger.counts(),
                CommandCounts.NONE,
                took.seconds(),
                took.cpuSeconds(),
                0,
                0,
                new Times(time.sourceSeconds(), time.mappingSeconds(), 0, 0),
                bottleneck,
                Optional.empty(),
                Optional.empty());
    }

    private void readAll(SampledTime time) {
        long limit = plan.options().limit().orElse(Long.MAX_VALUE);
        Row row = new Row();
        try {
            for (long read = 0; read < limit && !stop.isUp(); read++) {
                time.start();
                if (!reader.next(row)) {
                    return;
                }
                time.read();
                ledger.read();
                Optional<Rejection> rejection = row.isRejected() ? row.rejection() : mapping.prepare(row);
                time.mapped();
                if (rejection.isPresent()) {
                    desk.rejectUnsent(row, rejection.get());
                } else {
                    ledger.skipped();
                }
            }
        } catch (SourceException e) {
            stop.stop(String.valueOf(e.getMessage()));
        }
    }
}
