// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs workloads: a fresh server for each, the contenders in turn, an empty server before each turn, and the data checked after it.
 *
 * <p>A contender that fails takes no further turns; the others go on.
 */
public final class Runner {

    private final Path server;
    private final Path folder;
    private final int rounds;
    private final Consumer<String> progress;

    /**
     * A runner with {@code folder} for files.
     *
     * @param server the program of the server
     * @param rounds that count, after the workload's warm-up, from 1
     * @param progress is told a line about every turn
     */
    public Runner(Path server, Path folder, int rounds, Consumer<String> progress) {
        this.server = server;
        this.folder = folder;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** Runs {@code workload} and returns a run for each contender. */
    public List<Run> run(Workload workload, Size size) {
        long operations = workload.operations(size);
        progress.accept(workload.name() + ": preparing " + operations + " operations");
        try (var running = RedisServer.start(server, subfolder(workload.name()));
                var inputs = workload.prepare(subfolder(workload.name()), operations)) {
            var participants = workload.contenders().stream()
                    .map(contender -> participant(workload, contender, operations, running, inputs))
                    .toList();
            try {
                new Schedule<>(participants, workload.warmUps(), workload.rounds(rounds))
                        .turns()
                        .forEach(turn -> take(workload, turn, running));
            } finally {
                participants.forEach(Participant::close);
            }
            return participants.stream().map(Participant::run).toList();
        }
    }

    private Participant participant(
            Workload workload, Contender contender, long operations, RedisServer running, Inputs inputs) {
        var own = subfolder(workload.name() + "/" + contender.label().replace('/', '-'));
        var task = new Task(
                workload.name(),
                contender.label(),
                operations,
                running.host(),
                running.port(),
                inputs.values(),
                own.toString());
        return new Participant(workload, contender, task);
    }

    private void take(Workload workload, Schedule.Turn<Participant> turn, RedisServer running) {
        var participant = turn.contender();
        var line = workload.name() + ", "
                + (turn.round() < 1 ? "warm-up" : "round " + turn.round() + " of " + workload.rounds(rounds)) + ", "
                + participant.label() + ": ";
        participant.turn(turn.round(), running).ifPresent(outcome -> progress.accept(line + outcome));
    }

    private Path subfolder(String name) {
        try {
            return Files.createDirectories(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
