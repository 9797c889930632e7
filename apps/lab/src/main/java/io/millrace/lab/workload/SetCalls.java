// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.client.command.Fusion;
import io.millrace.lab.contender.MillraceSetCalls;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;

/** {@code SET} alone by 64 callers that wait for each reply: what the fusion of shared calls saves. */
public final class SetCalls implements Workload {

    private static final int CALLERS = 64;

    /** Fusion is on by default for shared calls if the server needs at most this part of the time without fusion. */
    private static final double SERVER_CPU = 0.9;

    private static final String FUSED = "millrace/virtual";
    private static final String UNFUSED = "millrace/virtual-unfused";

    @Override
    public String name() {
        return "calls-" + CALLERS + "-sets";
    }

    @Override
    public int warmUps() {
        return 4;
    }

    @Override
    public long operations(Size size) {
        return Math.max(CALLERS, size.operations());
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new MillraceSetCalls(CALLERS, Fusion.ALL_EXACT), //
                new MillraceSetCalls(CALLERS, Fusion.NONE));
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("server CPU, us per command", FUSED, UNFUSED, Figure.SERVER_CPU_MICROS, atMost(SERVER_CPU)),
                Bar.ratio("per second", FUSED, UNFUSED, Figure.PER_SECOND, atLeast(1)));
    }

    @Override
    public Check check() {
        return new RepeatedSets();
    }
}
