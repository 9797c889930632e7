// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The jobs of a YAML file, as typed. The options have the names of {@code millrace load}, without the dashes:
 *
 * <pre>
 *   defaults:
 *     uri: ${REDIS_URL}
 *   jobs:
 *     customers:
 *       source: customers.csv
 *       targets:
 *         - {key: 'customer:{id}', as: hash}
 *         - {key: customers, as: zset, score: age}
 * </pre>
 */
record JobFile(List<Job> jobs) {

    private static final String DEFAULTS = "defaults";
    private static final String JOBS = "jobs";
    private static final String SOURCE = "source";
    private static final String TARGETS = "targets";

    /** Options that belong to the whole run, or that only a command line can have. */
    private static final Set<String> REFUSED =
            Set.of("--help", "--debug", "--explain", "--json", "--progress", "--quiet", "--password-stdin");

    /**
     * A job: one load for each of its targets. The loads read the source together.
     *
     * @param line file and line, for messages
     */
    record Job(String name, String line, List<LoadArguments> loads) {

        /** The name of a load for messages and reports: of several loads, each has a number. */
        String name(int load) {
            return loads.size() == 1 ? name : name + "-" + (load + 1);
        }
    }

    /** Parses the file at {@code path}. */
    static JobFile read(String path, EnvironmentText environment) {
        try {
            return parse(path, Files.readString(Path.of(path)), environment);
        } catch (CharacterCodingException notText) {
            throw new UsageException(path + " is not text in UTF-8.", notText);
        } catch (IOException failed) {
            throw new UsageException("cannot read " + path + ": " + Failure.reason(failed) + ".", failed);
        } catch (InvalidPathException noPath) {
            throw new UsageException("'" + path + "' is not the name of a file.", noPath);
        }
    }

    /**
     * Parses the text of a file.
     *
     * @throws UsageException with the line of the first error
     */
    static JobFile parse(String file, String text, EnvironmentText environment) {
        YamlNode root = YamlNode.parse(file, text);
        Map<String, YamlNode.Member> top = root.members("the file");
        top.forEach((name, member) -> {
            if (!name.equals(DEFAULTS) && !name.equals(JOBS)) {
                throw member.name().wrong("'" + name + "' is unknown here. Legal: defaults, jobs.");
            }
        });
        if (!top.containsKey(JOBS)) {
            throw root.wrong("there is no 'jobs'.");
        }
        Map<String, YamlNode.Member> defaults = new LinkedHashMap<>();
        if (top.containsKey(DEFAULTS)) {
            defaults.putAll(top.get(DEFAULTS).value().members(DEFAULTS));
        }
        List<Job> jobs = new ArrayList<>();
        top.get(JOBS)
                .value()
                .members(JOBS)
                .forEach((name, member) -> jobs.add(new Parser(defaults, environment).job(name, member)));
        if (jobs.isEmpty()) {
            throw top.get(JOBS).name().wrong("there is no job.");
        }
        return new JobFile(jobs);
    }

    /** Parses one job. */
    private record Parser(Map<String, YamlNode.Member> defaults, EnvironmentText environment) {

        Job job(String name, YamlNode.Member member) {
            Map<String, YamlNode.Member> own = member.value().members("a job");
            YamlNode.Member targets = own.remove(TARGETS);
            List<LoadArguments> loads = new ArrayList<>();
            if (targets == null) {
                loads.add(load(own, Map.of()));
            } else {
                if (targets.value().elements().isEmpty()) {
                    throw targets.name().wrong("targets must be a list of at least one target.");
                }
                for (YamlNode target : targets.value().elements()) {
                    loads.add(load(own, ofTarget(target, own)));
                }
            }
            Job job = new Job(name, member.name().place(), loads);
            for (int i = 0; i < loads.size(); i++) {
                nameJob(loads.get(i), job.name(i));
            }
            return job;
        }

        /** The members of one target. The loads of a job share the source, so a target names no option of the source. */
        private Map<String, YamlNode.Member> ofTarget(YamlNode target, Map<String, YamlNode.Member> own) {
            Map<String, YamlNode.Member> members = target.members("a target");
            List<String> ofSource = new LoadArguments()
                    .from.group.options().stream().map(JobFile::nameInFile).toList();
            members.forEach((name, member) -> {
                if (name.equals(SOURCE) || ofSource.contains(name)) {
                    throw member.name()
                            .wrong("'" + name + "' belongs to the job, because its targets share the source.");
                }
                if (own.containsKey(name)) {
                    throw member.name().wrong("'" + name + "' is also given for the whole job. Leave out one of them.");
                }
            });
            return members;
        }

        private LoadArguments load(Map<String, YamlNode.Member> own, Map<String, YamlNode.Member> ofTarget) {
            LoadArguments load = new LoadArguments();
            Map<String, YamlNode.Member> all = new LinkedHashMap<>(defaults);
            all.putAll(own);
            all.putAll(ofTarget);
            all.forEach((name, member) -> {
                if (name.equals(SOURCE)) {
                    addSource(load, member.value());
                } else {
                    set(load, name, member);
                }
            });
            if (!all.containsKey(SOURCE)) {
                throw own.values().stream()
                        .findFirst()
                        .map(first -> first.name().wrong("the job has no 'source'."))
                        .orElseGet(() -> new UsageException("a job has no 'source'."));
            }
            return load;
        }

        private void addSource(LoadArguments load, YamlNode value) {
            List<YamlNode> names = value.isList() ? value.elements() : List.of(value);
            names.forEach(name -> {
                String source = environment.of(name, SOURCE);
                if (source.equals("-")) {
                    throw name.wrong("a job cannot read standard input. Name a file.");
                }
                load.addSource(source);
            });
        }

        private void set(LoadArguments load, String name, YamlNode.Member member) {
            Option<?> option = load.groups().stream()
                    .flatMap(group -> group.options().stream())
                    .filter(candidate -> nameInFile(candidate).equals(name) && !REFUSED.contains(candidate.name()))
                    .findFirst()
                    .orElseThrow(() -> unknown(name, member, load));
            if (option.takesValue()) {
                set(option, member.value(), joined(member.value(), name));
            } else {
                switch (environment.of(member.value(), name)) {
                    case "true" -> set(option, member.value(), "");
                    case "false" -> {}
                    default -> throw member.value().wrong(name + " must be true or false.");
                }
            }
        }

        private static UsageException unknown(String name, YamlNode.Member member, LoadArguments load) {
            if (REFUSED.contains("--" + name)) {
                return member.name()
                        .wrong("'" + name + "' is not possible in a job file. The options of the whole run: "
                                + "millrace run --help.");
            }
            Stream<String> options = load.groups().stream()
                    .flatMap(group -> group.options().stream())
                    .filter(option -> !REFUSED.contains(option.name()))
                    .map(JobFile::nameInFile);
            Optional<String> similar = SimilarName.of(
                    name, Stream.concat(Stream.of(SOURCE, TARGETS), options).toList());
            return member.name()
                    .wrong("'" + name + "' is unknown here."
                            + similar.map(word -> " Did you mean '" + word + "'?")
                                    .orElse(" Legal: source, targets, and the options of millrace load without"
                                            + " dashes. See millrace load --help."));
        }

        /** The text of a value. The elements of a list are separated by commas, as on a command line. */
        private String joined(YamlNode value, String name) {
            return value.isList()
                    ? String.join(
                            ",",
                            value.elements().stream()
                                    .map(element -> environment.of(element, name))
                                    .toList())
                    : environment.of(value, name);
        }

        private static <T> void set(Option<T> option, YamlNode value, String text) {
            try {
                option.set(option.convert(text));
                option.checkRange();
            } catch (IllegalArgumentException | UsageException notValid) {
                throw value.wrong(nameInFile(option) + ": " + notValid.getMessage());
            }
        }

        /** Names the job in Redis after the job in the file, if it needs a name and has none. */
        private static void nameJob(LoadArguments load, String name) {
            boolean reloads = load.job.swap.isTyped() || load.job.prune.isTyped();
            if (reloads && !load.job.job.isTyped()) {
                load.job.job.set(load.job.job.convert(name));
            }
        }
    }

    /** The name of an option in a job file: the long name without dashes. */
    private static String nameInFile(Option<?> option) {
        return option.name().replaceFirst("^--?", "");
    }
}
