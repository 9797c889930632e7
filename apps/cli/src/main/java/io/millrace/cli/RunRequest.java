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
        Set<Path> outputs = new HashSet<>();
        typed.report.value().ifPresent(report -> outputs.add(absolute(report)));
        for (JobFile.Job job : chosen(file, typed.only.value().orElse(List.of()))) {
            jobs.add(validated(job, typed, standardStreams, secretMasker, outputs));
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
            Set<Path> outputs) {
        List<NamedLoad> loads = new ArrayList<>();
        for (int i = 0; i < job.loads().size(); i++) {
            LoadArguments load = job.loads().get(i);
            apply(typed, load, job.loads().size());
            try {
                checkOutputs(load, outputs);
                loads.add(new NamedLoad(job.name(i), LoadRequest.of(load, standardStreams, secretMasker)));
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

    /** Refuses a file that two loads would write. */
    private static void checkOutputs(LoadArguments load, Set<Path> outputs) {
        Stream.of(load.job.rejects, load.job.differences, load.output.report)
                .flatMap(option -> option.value().stream())
                .forEach(file -> {
                    if (!outputs.add(absolute(file))) {
                        throw new UsageException("two loads would write the same file: " + file + ".");
                    }
                });
    }

    private static Path absolute(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
