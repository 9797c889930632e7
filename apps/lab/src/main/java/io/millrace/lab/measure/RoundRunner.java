// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.ServerUse.Ongoing;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.measure.WorkerMessages.Opening;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs the rounds of one scenario.
 *
 * <pre>
 * for each fork:   start one process for each contender
 *   for each round:  A B C, then B C A, then C A B, ...
 *     prepare, empty the server, fill the server, fill by the contender
 *     read the CPU times, run the units, read the CPU times
 *     details of the contender, check of the server
 *     after the last round of a contender, end its process
 * </pre>
 *
 * <p>The order rotates, so that no contender always runs after the same other contender. A contender that fails takes
 * no further part; the others continue. Used by one thread.
 */
final class RoundRunner {

    private final SessionServers servers;
    private final Parameters parameters;
    private final WorkerPool workers;
    private final Path folder;
    private final ProgressLine progress;

    RoundRunner(SessionServers servers, Parameters parameters, WorkerPool workers, Path folder, ProgressLine progress) {
        this.servers = servers;
        this.parameters = parameters;
        this.workers = workers;
        this.folder = folder;
        this.progress = progress;
    }

    /**
     * Runs all rounds of {@code contenders}.
     *
     * @throws LabInterrupted if this thread is interrupted. Then all processes of the contenders have ended
     */
    List<Result> run(
            Experiment experiment, Scenario scenario, RoundPlan plan, List<Contender> contenders, Distance distance) {
        List<ContenderRun> runs = contenders.stream()
                .map(contender -> new ContenderRun(
                        contender, opening(experiment, scenario, contender, distance), plan, workers, progress))
                .toList();
        String name = experiment.name() + " " + scenario.name() + distance.text();
        try {
            for (int fork = 1; fork <= plan.forks(); fork++) {
                runFork(name, scenario, plan, runs, fork);
            }
        } finally {
            runs.forEach(ContenderRun::abort); // No effect after a normal end: the runs are closed.
        }
        return runs.stream()
                .map(run -> new Result(
                        experiment.name(),
                        scenario,
                        run.contender(),
                        distance.roundTrip(),
                        run.samples(),
                        run.failure()))
                .toList();
    }

    private void runFork(String name, Scenario scenario, RoundPlan plan, List<ContenderRun> runs, int fork) {
        int perFork = plan.warmUps() + plan.rounds();
        for (int index = 0; index < perFork; index++) {
            int round = index + 1 - plan.warmUps();
            for (ContenderRun run : rotated(runs, (fork - 1) * perFork + index)) {
                String title = title(name, plan, fork, round, run.contender());
                boolean succeeded =
                        run.round(title, ready -> sample(scenario.server(run.contender()), ready, fork, round, title));
                if (!succeeded && scenario.server(run.contender()).isNeeded()) {
                    servers.of(scenario.server(run.contender()))
                            .settle(); // Commands of the failed contender must not reach the rounds of others.
                }
                if (index == perFork - 1) {
                    run.close(name + ", "
                            + run.contender().label()); // An open connection of a contender burdens the others.
                }
                if (Thread.interrupted()) { // Clears the flag, so that the cleanup can wait for processes.
                    throw new LabInterrupted();
                }
            }
        }
    }

    /** The elements in their order, but the first {@code distance} elements at the end. */
    static <T> List<T> rotated(List<T> elements, int distance) {
        List<T> rotated = new ArrayList<>(elements);
        Collections.rotate(rotated, -distance);
        return rotated;
    }

    private static String title(String name, RoundPlan plan, int fork, int round, Contender contender) {
        return name + ", " + contender.label() + ", "
                + (plan.forks() > 1 ? "process " + fork + " of " + plan.forks() + ", " : "")
                + (round < 1 ? "warm-up" : "round " + round + " of " + plan.rounds());
    }

    private Sample sample(ServerUse use, ReadyContender contender, int fork, int round, String title) {
        Optional<RedisServer> server = use.ifNeeded().map(servers::of);
        contender.prepare();
        server.ifPresent(needed -> {
            needed.reset();
            use.fill().fill(needed);
        });
        contender.fill();
        Optional<CpuTime> cpuBefore = server.map(RedisServer::cpu);
        try (var watch = RoundWatch.start(title, progress, server)) {
            Disturbed run = disturbed(use, server, () -> contender.run(watch));
            MeasuredPart measured = run.measured();
            Optional<CpuTime> cpu =
                    cpuBefore.map(before -> server.orElseThrow().cpu().minus(before));
            RoundDetails details = contender.details().withFigures(run.figures());
            var sample = new Sample(
                    fork,
                    round,
                    measured.operations(),
                    measured.units(),
                    measured.wallSeconds(),
                    measured.client(),
                    cpu,
                    measured.memory(),
                    details,
                    watch.seconds(),
                    details.complaints());
            return server.map(needed -> checked(use, needed, sample)).orElse(sample);
        }
    }

    /** The measured part of a round, and the figures of what happened to the server meanwhile. */
    private record Disturbed(MeasuredPart measured, Map<String, Double> figures) {}

    private static Disturbed disturbed(ServerUse use, Optional<RedisServer> server, Supplier<MeasuredPart> run) {
        if (use.disturbance().isEmpty()) {
            return new Disturbed(run.get(), Map.of());
        }
        Ongoing ongoing = use.disturbance().get().begin(server.orElseThrow());
        MeasuredPart measured;
        try {
            measured = run.get();
        } catch (RuntimeException e) {
            ongoing.end();
            throw e;
        }
        return new Disturbed(measured, ongoing.end());
    }

    private static Sample checked(ServerUse use, RedisServer server, Sample sample) {
        List<String> found = use.check().complaints(server, sample);
        Outcomes outcomes = sample.details().outcomes().orElse(Outcomes.NONE);
        if (outcomes.timedOut() + outcomes.lost() > 0) {
            server.settle(); // Commands that the client no longer waits for may still arrive.
        }
        return sample.withComplaints(found);
    }

    private Opening opening(Experiment experiment, Scenario scenario, Contender contender, Distance distance) {
        Path own = folder.resolve(experiment.name())
                .resolve(scenario.name())
                .resolve(contender.label().replace('/', '-'));
        try {
            Files.createDirectories(own);
        } catch (IOException e) {
            throw new UncheckedIOException("the folder of a contender cannot be created: " + own, e);
        }
        ServerUse use = scenario.server(contender);
        Target direct = servers.of(use).target();
        Target target = servers.needsOwnCluster(use) ? direct : distance.target();
        var context = new WorkContext(target, direct, parameters, own);
        return new Opening(experiment.name(), scenario.name(), contender.label(), context);
    }
}
