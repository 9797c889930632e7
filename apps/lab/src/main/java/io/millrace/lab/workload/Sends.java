// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.lab.contender.LettuceSends;
import io.millrace.lab.contender.MillraceSends;
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

/** {@code SET} and {@code GET} by one thread that does not wait, with 10,000 commands in flight. */
public final class Sends implements Workload {

    private static final int WINDOW = 10_000;

    @Override
    public String name() {
        return "send-" + WINDOW;
    }

    /** Whole pairs: half the usual number. */
    @Override
    public long operations(Size size) {
        return size.operations() / 4 * 2;
    }

    /** What is behind a future is so much code that a JVM compiles at it for some rounds. */
    @Override
    public int warmUps() {
        return 4;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new LettuceSends(WINDOW), //
                new MillraceSends(WINDOW));
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                // Shown only: by default, Lettuce flushes each command, so a ratio would not compare equals.
                Bar.shown("per second", "millrace/warm", Figure.PER_SECOND),
                Bar.shown("per second", "lettuce/warm", Figure.PER_SECOND),
                Bar.absolute("client CPU, us per command", "millrace/warm", Figure.CPU_MICROS, atMost(1.5)),
                Bar.shown("client CPU, us per command", "lettuce/warm", Figure.CPU_MICROS));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of());
    }

    @Override
    public Check check() {
        return PairData.inFlight(WINDOW);
    }
}
