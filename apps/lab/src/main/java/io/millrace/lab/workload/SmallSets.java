// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.client.command.Fusion;
import io.millrace.lab.SmallProgram;
import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.contender.JedisPipeline;
import io.millrace.lab.contender.MillraceBulkWriter;
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

/** Small {@code SET}s over one connection, none waiting for another. */
public final class SmallSets implements Workload {

    private static final String FUSED = "millrace/fused";
    private static final String UNFUSED = "millrace/unfused";

    @Override
    public String name() {
        return "set";
    }

    @Override
    public long operations(Size size) {
        return size.operations();
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new CliPipe(), //
                new JedisPipeline(),
                new MillraceBulkWriter(Fusion.ALL_EXACT, SmallProgram::write),
                new MillraceBulkWriter(Fusion.NONE, SmallProgram::write));
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("wall", FUSED, "redis-cli-pipe/process", Figure.WALL, atMost(0.75)),
                Bar.ratio("wall", FUSED, "jedis/warm", Figure.WALL, atMost(0.8)),
                Bar.ratio("wall", FUSED, UNFUSED, Figure.WALL, atMost(0.8)),
                Bar.ratio("wall", UNFUSED, "redis-cli-pipe/process", Figure.WALL, atMost(1.0)),
                Bar.ratio("wall", UNFUSED, "jedis/warm", Figure.WALL, atMost(0.95)),
                Bar.absolute("server busy", UNFUSED, Figure.SERVER_SHARE, atLeast(0.95)),
                Bar.absolute("client CPU, us per command", UNFUSED, Figure.CPU_MICROS, atMost(0.4)),
                Bar.shown("client CPU, us per command", FUSED, Figure.CPU_MICROS));
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
