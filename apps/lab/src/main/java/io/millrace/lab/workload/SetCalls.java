// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.client.command.Fusion;
import io.millrace.lab.contender.MillraceSetCalls;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.CheckOfCalls;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.ArrayList;
import java.util.List;

/** Measures how much fusion saves if 64 callers that only set keys share a client. */
public final class SetCalls implements Workload {

    private static final int CALLERS = 64;

    /**
     * Limit of the server's CPU time with fusion, divided by the time without fusion. Above this limit, fusion should not
     * be the default for shared calls.
     */
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
        var sets = new RepeatedSets();
        return new CheckOfCalls() {
            @Override
            public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
                var complaints = new ArrayList<>(sets.complaints(server, operations, fused));
                long expected = Math.min(RepeatedSets.KEYS, operations);
                if (server.control().dbSize() != expected) {
                    complaints.add("keys: expected=" + expected + ", found="
                            + server.control().dbSize());
                }
                return complaints;
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return sets.outcomes(server, operations);
            }
        };
    }
}
