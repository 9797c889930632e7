// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.JedisPipelines;
import io.millrace.lab.contender.LettucePipelines;
import io.millrace.lab.contender.MillracePipelines;
import io.millrace.lab.contender.RawPipelines;
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

/** {@code SET} and {@code GET} in pipelines of 1,000 commands, each of whose results is read. */
public final class Pipelines implements Workload {

    private static final int LENGTH = 1_000;

    @Override
    public String name() {
        return "pipeline-" + LENGTH;
    }

    /** An even number of commands. A round takes about a second. */
    @Override
    public long operations(Size size) {
        return 3 * size.operations() / 2 * 2;
    }

    @Override
    public int warmUps() {
        return 2;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new JedisPipelines(LENGTH), //
                new LettucePipelines(LENGTH),
                new RawPipelines(LENGTH),
                new MillracePipelines(LENGTH));
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("per second", "millrace/warm", "jedis/warm", Figure.PER_SECOND, atLeast(1.15)),
                Bar.ratio("client CPU, us per command", "millrace/warm", "jedis/warm", Figure.CPU_MICROS, atMost(0.7)),
                Bar.ratio("per second", "millrace/warm", "raw-socket/warm", Figure.PER_SECOND, atLeast(0.9)));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of());
    }

    @Override
    public Check check() {
        return PairData.of(1);
    }
}
