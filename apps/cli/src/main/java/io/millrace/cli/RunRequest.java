// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.PlanException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The validated arguments of {@code millrace run}: all jobs of the file were checked before the first one begins.
 *
 * @param jobs the loads of each job
 */
record RunRequest(List<List<NamedLoad>> jobs, RunChoice choice) {

    /** A load with its name, such as {@code customers}, or {@code customers-2} for the second target of a job. */
    record NamedLoad(String name, LoadRequest request) {}

    /**
     * Reads the file and validates its jobs.
     *
     * @throws UsageException with the line of the first error
     */
    static RunRequest of(RunArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        if (typed.operands.size() != 1) {
            throw new UsageException("name one job file, as in millrace run jobs.yaml. See millrace run --help.");
        }
        String path = typed.operands.getFirst();
        JobFile file = JobFile.read(path, new EnvironmentText(standardStreams, secretMasker));
        OutputFiles.check(List.of(Path.of(path)), Optional.empty(), Optional.empty(), typed.report.value());
        List<List<NamedLoad>> jobs = new ArrayList<>();
        Distinct distinct = new Distinct(new HashSet<>(), new HashSet<>(), new HashSet<>());
        typed.report.value().ifPresent(report -> distinct.files.add(absolute(report)));
        for (JobFile.Job job : chosen(file, typed.only.value().orElse(List.of()))) {
            jobs.add(validated(job, typed, standardStreams, secretMasker, distinct));
        }
        boolean continues = typed.onFailure.value().equals(Optional.of(RunArguments.OnFailure.CONTINUE));
        return new RunRequest(jobs, new RunChoice(continues, typed.json.isTyped(), typed.report.value()));
    }

    private static List<JobFile.Job> chosen(JobFile file, List<String> only) {
        List<String> names = file.jobs().stream().map(JobFile.Job::name).toList();
        only.stream().filter(name -> !names.contains(name)).findFirst().ifPresent(unknown -> {
            throw new UsageException(
                    "--only: there is no job '" + unknown + "'. The jobs are " + String.join(", ", names) + ".");
        });
        return file.jobs().stream()
                .filter(job -> only.isEmpty() || only.contains(job.name()))
                .toList();
    }

    private static List<NamedLoad> validated(
            JobFile.Job job,
            RunArguments typed,
            StandardStreams standardStreams,
            SecretMasker secretMasker,
            Distinct distinct) {
        List<NamedLoad> loads = new ArrayList<>();
        for (int i = 0; i < job.loads().size(); i++) {
            LoadArguments load = job.loads().get(i);
            apply(typed, load, job.loads().size());
            try {
                distinct.checkFiles(load);
                LoadRequest request = LoadRequest.of(load, standardStreams, secretMasker);
                distinct.checkJob(request);
                loads.add(new NamedLoad(job.name(i), request));
            } catch (UsageException | PlanException wrong) {
                throw new UsageException(job.line() + ": job " + job.name(i) + ": " + wrong.getMessage(), wrong);
            }
        }
        return loads;
    }

    /** Applies the options of the whole run. Loads at the same time show no progress. */
    private static void apply(RunArguments typed, LoadArguments load, int loads) {
        if (typed.dryRun.isTyped()) {
            load.job.dryRun.set(load.job.dryRun.convert(""));
        }
        if (typed.quiet.isTyped()) {
            load.output.quiet.set(load.output.quiet.convert(""));
        } else if (loads > 1) {
            load.output.progress.set(load.output.progress.convert("none"));
        }
    }

    /** What two loads of one run must not share: their output files, and the state of a job or a checkpoint. */
    private record Distinct(Set<Path> files, Set<String> jobs, Set<String> checkpoints) {

        void checkFiles(LoadArguments load) {
            Stream.of(load.job.rejects, load.job.differences, load.output.report)
                    .flatMap(option -> option.value().stream())
                    .forEach(file -> {
                        if (!files.add(absolute(file))) {
                            throw new UsageException("two loads would write the same file: " + file + ".");
                        }
                    });
        }

        void checkJob(LoadRequest load) {
            load.plan().options().checkpoint().ifPresent(checkpoint -> {
                if (!checkpoints.add(checkpoint.name())) {
                    throw new UsageException("two loads have the same checkpoint: checkpoint=" + checkpoint.name()
                            + ". Give each load its own name.");
                }
            });
            load.plan().options().reload().ifPresent(reload -> {
                if (!jobs.add(load.redis().uri() + " " + reload.job())) {
                    throw new UsageException("two loads have the same name of the job in Redis: job=" + reload.job()
                            + ". Give each load its own name, or none: the default is the name in this file.");
                }
            });
        }
    }

    private static Path absolute(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
