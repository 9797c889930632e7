// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.contender.JedisCalls;
import io.millrace.lab.contender.LettuceCalls;
import io.millrace.lab.contender.MillraceCalls;
import io.millrace.lab.contender.RawCalls;
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

/**
 * {@code SET} and {@code GET} by callers that wait for each reply: how much a client makes of several that call at the same
 * time.
 *
 * @param callers how many there are
 * @param share the usual number of operations is divided by it, for a round of one to three seconds
 */
public record Calls(int callers, int share, List<Contender> contenders, List<Bar> bars) implements Workload {

    private static final String PER_SECOND = "per second";

    /** What the rate must be at least of that without fusion: who gains nothing by it must not pay for it. */
    private static final double AS_UNFUSED = 0.97;

    public Calls {
        contenders = List.copyOf(contenders);
        bars = List.copyOf(bars);
    }

    /** One platform caller: Jedis on a connection of its own has nothing to switch to. */
    public static Calls ofOne() {
        return new Calls(
                1,
                40,
                List.of(
                        JedisCalls.ownConnection(),
                        new LettuceCalls(Callers.PLATFORM, 1),
                        MillraceCalls.fused(Callers.PLATFORM, 1),
                        MillraceCalls.unfused(Callers.PLATFORM, 1),
                        MillraceCalls.fused(Callers.VIRTUAL, 1),
                        MillraceCalls.unfused(Callers.VIRTUAL, 1)),
                List.of(
                        Bar.ratio(PER_SECOND, "millrace/platform", "jedis/platform", Figure.PER_SECOND, atLeast(0.8)),
                        asUnfused(Callers.PLATFORM),
                        asUnfused(Callers.VIRTUAL)));
    }

    /** Eight callers: a Jedis pool has a connection for each. */
    public static Calls ofEight() {
        return new Calls(
                8,
                8,
                List.of(
                        JedisCalls.pool(Callers.PLATFORM, 8),
                        new RawCalls(Callers.PLATFORM, 8),
                        MillraceCalls.fused(Callers.PLATFORM, 8),
                        MillraceCalls.fused(Callers.VIRTUAL, 8),
                        MillraceCalls.unfused(Callers.VIRTUAL, 8)),
                List.of(
                        Bar.ratio(PER_SECOND, "millrace/platform", "jedis/platform", Figure.PER_SECOND, atLeast(1)),
                        Bar.ratio(
                                PER_SECOND,
                                "millrace/platform",
                                "raw-socket/platform",
                                Figure.PER_SECOND,
                                atLeast(0.9)),
                        asUnfused(Callers.VIRTUAL),
                        serverCpu()));
    }

    /** 64 callers; Jedis has them on the threads that suit it better. */
    public static Calls of64() {
        return new Calls(
                64,
                2,
                List.of(
                        JedisCalls.pool(Callers.PLATFORM, 64),
                        JedisCalls.pool(Callers.VIRTUAL, 64),
                        new LettuceCalls(Callers.VIRTUAL, 64),
                        new RawCalls(Callers.VIRTUAL, 64),
                        MillraceCalls.fused(Callers.VIRTUAL, 64),
                        MillraceCalls.unfused(Callers.VIRTUAL, 64)),
                List.of(
                        Bar.toBest(
                                PER_SECOND,
                                "millrace/virtual",
                                List.of("jedis/platform", "jedis/virtual", "lettuce/virtual"),
                                Figure.PER_SECOND,
                                atLeast(3)),
                        Bar.ratio(
                                PER_SECOND, "millrace/virtual", "raw-socket/virtual", Figure.PER_SECOND, atLeast(0.9)),
                        asUnfused(Callers.VIRTUAL),
                        serverCpu()));
    }

    /** 512 callers: nobody keeps as many connections. */
    public static Calls of512() {
        return new Calls(
                512,
                1,
                List.of(
                        new LettuceCalls(Callers.VIRTUAL, 512), //
                        MillraceCalls.fused(Callers.VIRTUAL, 512),
                        MillraceCalls.unfused(Callers.VIRTUAL, 512)),
                List.of(
                        Bar.ratio(PER_SECOND, "millrace/virtual", "lettuce/virtual", Figure.PER_SECOND, atLeast(3.5)),
                        asUnfused(Callers.VIRTUAL),
                        serverCpu()));
    }

    private static Bar asUnfused(Callers callers) {
        return Bar.ratio(
                PER_SECOND,
                MillraceCalls.fused(callers, 1).label(),
                MillraceCalls.unfused(callers, 1).label(),
                Figure.PER_SECOND,
                atLeast(AS_UNFUSED));
    }

    /**
     * The ratio of the server's CPU time with and without fusion. The ratio has no limit, because {@code GET} is not
     * fused and the fused batches are small.
     */
    private static Bar serverCpu() {
        return Bar.shownRatio(
                "server CPU, us per command",
                MillraceCalls.fused(Callers.VIRTUAL, 1).label(),
                MillraceCalls.unfused(Callers.VIRTUAL, 1).label(),
                Figure.SERVER_CPU_MICROS);
    }

    @Override
    public String name() {
        return "calls-" + callers;
    }

    /** What is behind a call is so much code that a JVM compiles at it for some rounds. */
    @Override
    public int warmUps() {
        return 4;
    }

    /** At least one pair for each caller, and whole pairs. */
    @Override
    public long operations(Size size) {
        return Math.max(callers, size.operations() / share / 2) * 2;
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of());
    }

    @Override
    public Check check() {
        return PairData.of(callers);
    }
}
