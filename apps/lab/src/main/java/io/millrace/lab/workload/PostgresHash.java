// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.CliPipe;
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

/** The rows of {@link CsvHash} from a table of PostgreSQL, in a heap of 256 MB. */
public final class PostgresHash implements Workload {

    @Override
    public String name() {
        return "postgres-hash";
    }

    @Override
    public long operations(Size size) {
        return size.operations();
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new CliPipe(), //
                MillraceCommand.ofTable(PostgresServer.TABLE));
    }

    @Override
    public List<Bar> bars() {
        var pipe = "redis-cli-pipe/process";
        return List.of(
                Bar.own("own seconds", "millrace/process-256m", MillraceCommand.SECONDS, pipe, atMost(1.25)),
                Bar.ratio("whole process", "millrace/process-256m", pipe, Figure.WALL, atMost(1.5)));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        var commands = new RowData().writeCommands(folder.resolve("commands.resp"), operations);
        var postgres = PostgresServer.start(folder, operations);
        return new Inputs(
                Map.of(
                        CliPipe.COMMANDS, commands.toString(),
                        MillraceCommand.SOURCE, postgres.url()),
                postgres::close);
    }

    @Override
    public Check check() {
        return new RowData();
    }
}
