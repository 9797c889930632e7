// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Runs workloads: the contenders in turn, an empty server before each turn, and the data checked after it.
 *
 * <p>A contender that fails takes no further turns; the others go on. Used by one thread.
 */
public final class Runner {

    private final Path folder;
    private final int rounds;
    private final Progress progress;

    /**
     * A runner with {@code folder} for files.
     *
     * @param rounds that count, after the workload's warm-up, from 1
     */
    public Runner(Path folder, int rounds, Progress progress) {
        this.folder = folder;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** Runs {@code workload} on {@code server}, straight, with all its contenders. */
    public List<Run> run(Workload workload, Size size, RedisServer server) {
        try (var processes = new WarmProcesses()) {
            return run(workload, size, server, Route.direct(server.endpoint()), contender -> true, Map.of(), processes);
        }
    }

    /**
     * Runs {@code workload}, on {@code server} if it needs one, and returns a run for each contender.
     *
     * @param route by which contenders reach the server
     * @param chosen which contenders enter
     * @param settings for the contenders, beside what the workload makes ready
     * @param processes where warm contenders live; stay open
     */
    public List<Run> run(
            Workload workload,
            Size size,
            RedisServer server,
            Route route,
            Predicate<Contender> chosen,
            Map<String, String> settings,
            WarmProcesses processes) {
        var contenders = workload.contenders().stream().filter(chosen).toList();
        if (contenders.isEmpty()) {
            return List.of();
        }
        progress.now(workload.name() + ": preparing");
        try (var inputs = workload.prepare(folderOf(workload), workload.operations(size))) {
            var arena = Arena.of(workload, server);
            var participants = contenders.stream()
                    .map(contender -> participant(workload, contender, size, route, inputs.and(settings), processes))
                    .toList();
            try {
                new Schedule<>(participants, Math.min(workload.warmUps(), rounds), workload.rounds(rounds))
                        .turns()
                        .forEach(turn -> take(turn, arena, name(workload, route, turn)));
            } finally {
                participants.forEach(Participant::close);
            }
            return participants.stream().map(Participant::run).toList();
        }
    }

    private void take(Schedule.Turn<Participant> turn, Arena arena, String what) {
        turn.contender().turn(turn.round(), arena, progress, what);
        if (Thread.interrupted()) { // cleared, so that what has been started can be waited for while it is closed
            throw new LabStopped();
        }
    }

    private Participant participant(
            Workload workload,
            Contender contender,
            Size size,
            Route route,
            Map<String, String> inputs,
            WarmProcesses processes) {
        var own = folderOf(workload).resolve(contender.label().replace('/', '-'));
        var task = new Task(
                workload.name(),
                contender.label(),
                workload.operations(size, contender, route.distance()),
                route.endpoint(),
                inputs,
                made(own).toString());
        return new Participant(workload, contender, route, task, processes);
    }

    private String name(Workload workload, Route route, Schedule.Turn<Participant> turn) {
        return workload.name()
                + (route.roundTrip().isZero() ? "" : " at " + Durations.text(route.roundTrip()))
                + ", "
                + (turn.round() < 1 ? "warm-up" : "round " + turn.round() + " of " + workload.rounds(rounds)) + ", "
                + turn.contender().label();
    }

    private Path folderOf(Workload workload) {
        return made(folder.resolve(workload.name()));
    }

    private static Path made(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
