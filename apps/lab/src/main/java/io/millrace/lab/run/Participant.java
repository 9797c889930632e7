// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A contender on its way through the rounds of one workload; out after its first failure. Used by one thread. */
final class Participant {

    private final Workload workload;
    private final Contender contender;
    private final Route route;
    private final Task task;
    private final WarmProcesses processes;
    private final List<Sample> samples = new ArrayList<>();
    private Optional<Entrant> entrant = Optional.empty();
    private Optional<String> failure = Optional.empty();

    Participant(Workload workload, Contender contender, Route route, Task task, WarmProcesses processes) {
        this.workload = workload;
        this.contender = contender;
        this.route = route;
        this.task = task;
        this.processes = processes;
    }

    /** Takes a turn, called {@code what}, and tells how it went; does nothing if the contender is out. */
    void turn(int round, Arena arena, Progress progress, String what) {
        if (failure.isPresent()) {
            return;
        }
        try {
            progress.now(what);
            var ready = entrant.orElseGet(() -> Entrant.of(contender, task, processes));
            entrant = Optional.of(ready);
            var turn = new Arena.Turn(workload, contender, round, task.operations(), what);
            var sample = arena.round(turn, ready, progress);
            samples.add(sample);
            progress.line(what + ": " + describe(sample));
        } catch (LabStopped | JedisConnectionException e) {
            throw e; // nobody's fault here: the lab is to end, or the server has gone
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                return; // not its fault
            }
            fail(e instanceof LabException ? String.valueOf(e.getMessage()) : Failures.inOneLine(e), progress, what);
            arena.settle();
        }
    }

    /** Out, and at once: what it has started must not go on while others are measured. */
    private void fail(String why, Progress progress, String what) {
        failure = Optional.of(why);
        progress.line(what + ": FAILED: " + why);
        close();
    }

    private static String describe(Sample sample) {
        var measured = sample.measured();
        var server = sample.serverShare();
        var figures = String.format(
                        Locale.ROOT, "%.3f s, client CPU %.3f s", measured.wallSeconds(), measured.cpuSeconds())
                + (server.isPresent() ? String.format(Locale.ROOT, ", server busy %.2f", server.getAsDouble()) : "")
                + measured.remark().map(remark -> ", " + remark).orElse("");
        return sample.complaints().isEmpty()
                ? figures
                : figures + ", WRONG DATA: " + String.join("; ", sample.complaints());
    }

    String label() {
        return contender.label();
    }

    /** All its turns so far. */
    Run run() {
        return new Run(workload, contender, route.roundTrip(), task.operations(), samples, failure);
    }

    void close() {
        entrant.ifPresent(Entrant::close);
        entrant = Optional.empty();
    }
}
