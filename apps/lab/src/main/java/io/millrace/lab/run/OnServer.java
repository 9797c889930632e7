// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
import java.util.OptionalDouble;

/** A server that is empty before each round, and whose data is checked after it. */
record OnServer(RedisServer server) implements Arena {

    @Override
    public Sample round(Turn turn, Entrant ready, Progress progress) {
        var workload = turn.workload();
        ready.prepare(); // first: what it does to the server is not to be found there
        server.reset();
        workload.fill(server, turn.operations());
        ready.fill();
        double cpuBefore = server.cpuSeconds();
        Measured measured;
        try (var pulse = Pulse.of(server, progress, turn.what())) {
            measured = ready.round(pulse::note);
            measured = measured.with(pulse.perSecond());
        }
        double cpu = server.cpuSeconds() - cpuBefore;
        long operations = measured.operations(turn.operations());
        var check = workload.check(turn.contender());
        var complaints = new ArrayList<>(measured.complaints());
        complaints.addAll(check.complaints(server, operations, measured));
        var outcomes = measured.outcomes().orElseGet(() -> check.outcomes(server, operations));
        if (outcomes.timedOut() + outcomes.lost() > 0) {
            server.settle(); // what was given up may still be on its way, and must not reach the others' rounds
        }
        return new Sample(turn.round(), measured, OptionalDouble.of(cpu), outcomes, complaints);
    }

    @Override
    public void settle() {
        server.settle();
    }
}
