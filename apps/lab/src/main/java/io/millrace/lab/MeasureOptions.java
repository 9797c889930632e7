// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Durations;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Size;
import io.millrace.lab.tasks.Pace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Option;

/** How much is measured, of whom, and how far away the server seems. */
final class MeasureOptions {

    private static final int DEFAULT_ROUNDS = 5;
    private static final int QUICK_ROUNDS = 2;

    /** Beyond this nobody waits for the end. */
    private static final Duration LONGEST_ROUND_TRIP = Duration.ofSeconds(2);

    @Option(names = "--rounds", paramLabel = "N", description = "rounds after the warm-up; default 5, with --quick 2")
    private Optional<Integer> rounds = Optional.empty();

    @Option(
            names = {"--size", "--operations"},
            paramLabel = "N",
            description = "commands in a round; default as the experiment says")
    private Optional<Long> operations = Optional.empty();

    @Option(
            names = "--rtt",
            paramLabel = "TIME",
            split = ",",
            description =
                    "add this to each round trip, by a proxy: 1ms, 0.5ms, 160ms; several: one run for each, 0 for none")
    private List<String> roundTrips = List.of("0");

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "of the waits in e4; default ${DEFAULT-VALUE}",
            defaultValue = "" + Pace.DEFAULT_SEED)
    private long seed;

    @Option(names = "--quick", description = "a tenth of the size, two rounds")
    private boolean quick;

    @Option(
            names = "--contenders",
            paramLabel = "NAME",
            split = ",",
            description = "only these, such as jedis,millrace; default all")
    private List<String> contenders = List.of();

    int rounds() {
        int count = rounds.orElse(quick ? QUICK_ROUNDS : DEFAULT_ROUNDS);
        if (count < 1) {
            throw new LabException("too few rounds: rounds=" + count + ". Ask for 1 or more.");
        }
        return count;
    }

    /**
     * The experiments as they are to be run.
     *
     * @param all whether they are all there are: then a quick look at them is to be quick
     */
    List<Experiment> asAsked(List<Experiment> experiments, boolean all) {
        return experiments.stream()
                .map(experiment -> experiment.withSeed(seed))
                .map(experiment -> all && quick ? experiment.atAGlance() : experiment)
                .toList();
    }

    Size sizeOf(Experiment experiment) {
        try {
            var size = new Size(operations.orElse(experiment.operations()), operations.orElse(experiment.operations()));
            return quick ? size.tenth() : size;
        } catch (IllegalArgumentException e) {
            throw new LabException("the size is not right: " + e.getMessage(), e);
        }
    }

    /** In the order in which they were given, each once. */
    List<Duration> roundTrips() {
        return roundTrips.stream().map(MeasureOptions::roundTrip).distinct().toList();
    }

    private static Duration roundTrip(String text) {
        Duration roundTrip;
        try {
            roundTrip = Durations.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new LabException("--rtt is " + e.getMessage(), e);
        }
        if (roundTrip.compareTo(LONGEST_ROUND_TRIP) > 0) {
            throw new LabException("--rtt is too long: " + text + ". The most is 2s.");
        }
        return roundTrip;
    }

    /** Which contenders enter {@code experiments}. */
    Predicate<Contender> chosen(List<Experiment> experiments) {
        var names = experiments.stream()
                .flatMap(experiment -> experiment.workloads().stream())
                .flatMap(workload -> workload.contenders().stream())
                .map(Contender::name)
                .distinct()
                .toList();
        var unknown = contenders.stream().filter(name -> !names.contains(name)).toList();
        if (!unknown.isEmpty()) {
            throw new LabException("no such contender: " + String.join(", ", unknown) + ". There are: "
                    + String.join(", ", names) + ".");
        }
        return contender -> contenders.isEmpty() || contenders.contains(contender.name());
    }
}
