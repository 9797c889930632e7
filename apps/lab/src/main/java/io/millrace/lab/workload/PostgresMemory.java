// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.HeapRecording;
import io.millrace.lab.contender.MillraceCommand;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A long table in a heap of 256 MB: whether memory stays flat. Takes minutes, so it is run only when named. */
public final class PostgresMemory implements Workload {

    @Override
    public String name() {
        return "postgres-memory";
    }

    @Override
    public long operations(Size size) {
        return size.memoryRows();
    }

    @Override
    public boolean runByDefault() {
        return false;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(MillraceCommand.ofTableWatched(PostgresServer.TABLE));
    }

    @Override
    public List<Bar> bars() {
        var millrace = "millrace/process-256m";
        return List.of(
                Bar.absolute(
                        "heap in use after collections, last quarter to second",
                        millrace,
                        Figure.own(HeapRecording.GROWTH),
                        atMost(1.1)),
                Bar.shown("heap in use after collections, at most, MiB", millrace, Figure.own(HeapRecording.PEAK)),
                Bar.shown("resident, at most, MiB", millrace, Figure.own("peakResidentMebibytes")));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        var postgres = PostgresServer.start(folder, operations);
        return new Inputs(Map.of(MillraceCommand.SOURCE, postgres.url()), postgres::close);
    }

    @Override
    public Check check() {
        return new RowData();
    }
}
