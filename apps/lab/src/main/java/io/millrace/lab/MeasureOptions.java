// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.measure.Session;
import io.millrace.lab.server.LabException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The options of the measurement: sizes, rounds and contenders. */
final class MeasureOptions {

    private static final Duration LONGEST_ROUND_TRIP = Duration.ofSeconds(2);

    /** The experiments whose values may have any length. */
    static final Set<String> WITH_PAYLOAD = Set.of("calls", "e1", "e3", "e5", "latency", "tune");

    @Option(
            names = "--rtt",
            paramLabel = "TIME",
            split = ",",
            description =
                    "add TIME to each round trip, with a proxy: 0.5ms, 160ms; for several, one run each; 0: none; "
                            + "default: each scenario adds its own, usually none")
    private List<String> roundTrips = List.of();

    @Option(
            names = "--size",
            paramLabel = "N",
            description = "operations in one unit of work; no effect on work with a given duration, see --duration")
    private Optional<Long> size = Optional.empty();

    @Option(
            names = "--payload",
            paramLabel = "BYTES",
            description =
                    "length of a value, in calls, e1, e3, e5, latency and tune; refused for the other experiments")
    private Optional<Integer> payload = Optional.empty();

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "number of distinct keys, in calls, latency, e5, and e3 pipeline-1000")
    private Optional<Integer> keys = Optional.empty();

    @Option(names = "--mix", paramLabel = "READS:WRITES", description = "such as 9:1, in calls and latency")
    private Optional<String> mix = Optional.empty();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description =
                    "minimum duration of a round, usually 1s; in e2 and latency the duration, in e4 the time of a producer")
    private Optional<String> duration = Optional.empty();

    @Option(names = "--rate", paramLabel = "N", description = "commands per second, in e2, latency and recovery")
    private Optional<Long> rate = Optional.empty();

    @Option(names = "--seed", paramLabel = "N", description = "start of all random numbers; default 42")
    private long seed = Parameters.DEFAULT.seed();

    @Option(names = "--rounds", paramLabel = "N", description = "counted rounds of each process")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--forks", paramLabel = "N", description = "processes of each contender")
    private Optional<Integer> forks = Optional.empty();

    @Option(
            names = "--quick",
            description =
                    "a tenth of the size, one process, one short round, fewer contenders: shows whether all works")
    private boolean quick;

    @Option(
            names = "--clients",
            paramLabel = "NAME",
            split = ",",
            description = "only these libraries, such as jedis,millrace; default all")
    private List<String> clients = List.of();

    @Option(
            names = "--client",
            paramLabel = "JAR",
            split = ":",
            description = "jar with a client of your own; docs/lab-client.md")
    private List<Path> jars = List.of();

    @Option(names = "--bars", description = "only scenarios with limits that Millrace promises")
    private boolean bars;

    @Option(names = "--strict", description = "exit code 3 if a limit is missed")
    private boolean strict;

    boolean isStrict() {
        return strict;
    }

    /** Whether the run is a full measurement, not a part of one. */
    boolean isComplete() {
        return parameters().equals(Parameters.DEFAULT)
                && clients.isEmpty()
                && rounds.isEmpty()
                && forks.isEmpty()
                && !bars
                && roundTrips.isEmpty()
                && jars.isEmpty();
    }

    Parameters parameters() {
        return new Parameters(
                atLeastOne("--size", size).stream().mapToLong(Long::longValue).findFirst(),
                duration.map(text -> Durations.parse("--duration", text)),
                atLeastOne("--payload", payload).stream()
                        .mapToInt(Integer::intValue)
                        .findFirst(),
                atLeastOne("--keys", keys).stream().mapToInt(Integer::intValue).findFirst(),
                mix.map(MeasureOptions::parsedMix),
                atLeastOne("--rate", rate).stream().mapToLong(Long::longValue).findFirst(),
                seed,
                quick);
    }

    private static <N extends Number> Optional<N> atLeastOne(String option, Optional<N> number) {
        if (number.isPresent() && number.get().longValue() < 1) {
            throw new LabException(option + " must be 1 or more: " + number.get() + ".");
        }
        return number;
    }

    private static Mix parsedMix(String text) {
        try {
            return Mix.parse(text);
        } catch (IllegalArgumentException e) {
            throw new LabException("--mix: " + e.getMessage(), e);
        }
    }

    /** The round trips in the order of the option, each once. */
    private List<Duration> roundTrips() {
        List<Duration> parsed = roundTrips.stream()
                .map(text -> Durations.parse("--rtt", text))
                .distinct()
                .toList();
        for (Duration roundTrip : parsed) {
            if (roundTrip.compareTo(LONGEST_ROUND_TRIP) > 0) {
                throw new LabException("--rtt is too long: " + roundTrip.toMillis() + " ms. The limit is 2s.");
            }
        }
        return parsed;
    }

    /** The jars with clients. This thread and its children find their classes afterwards. */
    List<Path> loadJars() {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            if (!Files.isReadable(jar)) {
                throw new LabException(
                        "--client cannot be read: file=" + jar + ". Name a jar; see docs/lab-client.md.");
            }
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new LabException("--client cannot be loaded: file=" + jar, e);
            }
        }
        if (!urls.isEmpty()) {
            Thread thread = Thread.currentThread();
            thread.setContextClassLoader(new URLClassLoader(urls.toArray(URL[]::new), thread.getContextClassLoader()));
        }
        return jars.stream().map(Path::toAbsolutePath).toList();
    }

    /** The experiments called {@code names}, or all; with {@code --bars} only the scenarios that have bars. */
    List<Experiment> experiments(List<String> names) {
        Parameters parameters = parameters();
        List<Experiment> named = names.isEmpty()
                ? Experiments.all(parameters)
                : names.stream()
                        .distinct()
                        .map(name -> Experiments.named(name, parameters))
                        .toList();
        requireKnownClients(named);
        requirePayloads(named);
        List<Experiment> chosen = named.stream()
                .map(this::chosenScenarios)
                .filter(experiment -> !experiment.scenarios().isEmpty())
                .toList();
        if (chosen.isEmpty()) {
            throw new LabException("nothing is left to measure. Name other experiments or clients, or omit --bars.");
        }
        return chosen;
    }

    private void requireKnownClients(List<Experiment> experiments) {
        List<String> libraries = experiments.stream()
                .flatMap(experiment -> experiment.scenarios().stream())
                .flatMap(scenario -> scenario.contenders().stream())
                .map(contender -> contender.description().library())
                .distinct()
                .sorted()
                .toList();
        clients.stream().filter(name -> !libraries.contains(name)).findFirst().ifPresent(name -> {
            throw new LabException("no such client: " + name + ". There are: " + String.join(", ", libraries) + ".");
        });
    }

    private void requirePayloads(List<Experiment> experiments) {
        List<String> others = experiments.stream()
                .map(Experiment::name)
                .filter(name -> !WITH_PAYLOAD.contains(name))
                .toList();
        if (payload.isPresent() && !others.isEmpty()) {
            throw new LabException(
                    "--payload has no effect in: " + String.join(", ", others) + ". Name experiments among: "
                            + WITH_PAYLOAD.stream().sorted().collect(Collectors.joining(", ")) + ".");
        }
    }

    private Experiment chosenScenarios(Experiment experiment) {
        return new Experiment(
                experiment.name(),
                experiment.title(),
                experiment.question(),
                experiment.scenarios().stream()
                        .filter(scenario -> !bars || !scenario.bars().isEmpty())
                        .filter(scenario -> scenario.contenders().stream().anyMatch(this::isChosen))
                        .toList());
    }

    private boolean isChosen(Contender contender) {
        return clients.isEmpty() || clients.contains(contender.description().library());
    }

    private RoundPlan changed(RoundPlan plan) {
        return plan.withRounds(rounds.orElse(plan.rounds())).withForks(forks.orElse(plan.forks()));
    }

    /** How the session measures. */
    Session.Options sessionOptions(List<Path> clientJars) {
        atLeastOne("--rounds", rounds);
        atLeastOne("--forks", forks);
        return Session.Options.of(parameters(), Worker.class)
                .withRoundTrips(roundTrips())
                .withChosen(this::isChosen)
                .withPlan(this::changed)
                .withJars(clientJars);
    }
}
