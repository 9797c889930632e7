// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A contender on its way through the rounds of one workload; out after its first failure. Used by one thread. */
final class Participant {

    private final Workload workload;
    private final Contender contender;
    private final Task task;
    private final List<Sample> samples = new ArrayList<>();
    private Optional<Entrant> entrant = Optional.empty();
    private Optional<String> failure = Optional.empty();

    Participant(Workload workload, Contender contender, Task task) {
        this.workload = workload;
        this.contender = contender;
        this.task = task;
    }

    /** Takes a turn and says how it went; empty if the contender is out. */
    Optional<String> turn(int round, RedisServer server) {
        if (failure.isPresent()) {
            return Optional.empty();
        }
        try {
            var ready = entrant.orElseGet(() -> Entrant.of(contender, task));
            entrant = Optional.of(ready);
            var sample = sample(round, ready, server);
            samples.add(sample);
            return Optional.of(describe(sample));
        } catch (LabException e) {
            failure = Optional.of(String.valueOf(e.getMessage()));
            return Optional.of("FAILED: " + e.getMessage());
        }
    }

    private Sample sample(int round, Entrant ready, RedisServer server) {
        server.reset();
        double cpuBefore = server.cpuSeconds();
        var measured = ready.round();
        double cpu = server.cpuSeconds() - cpuBefore;
        long operations = measured.operations(task.operations());
        var complaints = workload.check().complaints(server, operations);
        var outcomes = measured.outcomes().orElseGet(() -> workload.check().outcomes(server, operations));
        return new Sample(round, measured, cpu, outcomes, complaints);
    }

    private static String describe(Sample sample) {
        var figures = String.format(
                Locale.ROOT,
                "%.3f s, client CPU %.3f s, server busy %.2f",
                sample.measured().wallSeconds(),
                sample.measured().cpuSeconds(),
                sample.serverShare());
        return sample.complaints().isEmpty()
                ? figures
                : figures + ", WRONG DATA: " + String.join("; ", sample.complaints());
    }

    String label() {
        return contender.label();
    }

    /** All its turns so far. */
    Run run() {
        return new Run(workload, contender, task.operations(), samples, failure);
    }

    void close() {
        entrant.ifPresent(Entrant::close);
    }
}
