// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.contender.MillraceSmallProgram;
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

/** A program that starts, sends a tenth of the usual number of {@code SET}s and ends: what a start of a JVM costs. */
public final class Start implements Workload {

    @Override
    public String name() {
        return "start";
    }

    @Override
    public long operations(Size size) {
        return size.operations() / 10;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new CliPipe(), //
                new MillraceSmallProgram());
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("whole process", "millrace/process", "redis-cli-pipe/process", Figure.WALL, atMost(2.5)));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        var commands = new StringData().writeCommands(folder.resolve("commands.resp"), operations);
        return Inputs.of(Map.of(CliPipe.COMMANDS, commands.toString()));
    }

    @Override
    public Check check() {
        return new StringData();
    }
}
