// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.contender.MillraceCommand;
import io.millrace.lab.contender.MillraceLoader;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A CSV file of five columns into hashes, one per row; reading and parsing the file is part of it. */
public final class CsvHash implements Workload {

    @Override
    public String name() {
        return "csv-hash";
    }

    @Override
    public long operations(Size size) {
        return size.operations();
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new CliPipe(), //
                new MillraceLoader(),
                MillraceCommand.ofFile());
    }

    @Override
    public List<Bar> bars() {
        var pipe = "redis-cli-pipe/process";
        return List.of(
                Bar.ratio("wall", "millrace/warm", pipe, Figure.WALL, atMost(1.1)),
                Bar.own("own seconds", "millrace/process", MillraceCommand.SECONDS, pipe, atMost(1.25)),
                Bar.ratio("whole process", "millrace/process", pipe, Figure.WALL, atMost(1.5)));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        var csv = folder.resolve("rows.csv");
        try (var out = Files.newBufferedWriter(csv)) {
            RowData.writeCsv(out, operations);
        } catch (IOException e) {
            throw new LabException("cannot make the CSV file: file=" + csv + ", cause=" + e.getMessage(), e);
        }
        var commands = new RowData().writeCommands(folder.resolve("commands.resp"), operations);
        return Inputs.of(Map.of(CliPipe.COMMANDS, commands.toString(), MillraceCommand.SOURCE, csv.toString()));
    }

    @Override
    public Check check() {
        return new RowData();
    }
}
