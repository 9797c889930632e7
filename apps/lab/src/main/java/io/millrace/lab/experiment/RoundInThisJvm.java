// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.experiment.ServerUse.Ongoing;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs rounds of contenders in this JVM, in the order of the runner, and measures nothing. Tests of contenders need the complaints
 * of a round and not its figures. The modules of the frameworks have such tests, because only they have the class paths of their
 * contenders.
 *
 * @param server emptied before each round
 * @param parameters what the user changed
 * @param folder for temporary files of contenders
 */
public record RoundInThisJvm(RedisServer server, Parameters parameters, Path folder) {

    private static final CpuTime NO_TIME = new CpuTime(0, 0, 1);

    /** A contender in a scenario. The text is the name of the scenario and the label of the contender. */
    public record Program(Scenario scenario, JvmContender contender) {

        @Override
        public String toString() {
            return scenario.name() + " " + contender.label();
        }
    }

    /** The contenders with a class path of their own, in all scenarios of {@code experiment}. */
    public static Stream<Program> programs(Experiment experiment) {
        return experiment.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .filter(JvmContender.class::isInstance)
                        .map(JvmContender.class::cast)
                        .filter(contender -> contender.classPath().isPresent())
                        .map(contender -> new Program(scenario, contender)));
    }

    /**
     * The contender with this {@linkplain Contender#label label}, which runs in a JVM.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Program program(Scenario scenario, String label) {
        if (scenario.contender(label) instanceof JvmContender contender) {
            return new Program(scenario, contender);
        }
        throw new IllegalArgumentException("not a JVM: scenario=" + scenario.name() + ", contender=" + label);
    }

    /** Opens the work of {@code program}. */
    public ReadyWork open(Program program) throws Exception {
        return open(program.contender().work());
    }

    private ReadyWork open(Work work) throws Exception {
        return work.open(new WorkContext(server.target(), server.target(), parameters, folder));
    }

    /** Prepares a round of {@code ready}: empties the server, and writes the keys that the round needs. */
    public void begin(ReadyWork ready, ServerUse use) throws Exception {
        ready.prepare();
        server.reset();
        use.fill().fill(server);
        ready.fill();
    }

    /** Runs {@code units} units of a round that has begun. The complaints of the sample come from the contender. */
    public static Sample finish(ReadyWork ready, int units) throws Exception {
        long operations = 0;
        for (int unit = 0; unit < units; unit++) {
            operations += ready.run();
        }
        return sample(operations, units, ready.details());
    }

    /** Runs one round with {@code units} units. The complaints of the sample come from the contender. */
    public Sample run(Program program, int units) throws Exception {
        return run(program.contender().work(), program.scenario().server(program.contender()), units);
    }

    /** Runs one round of {@code work} with {@code units} units. The complaints of the sample come from the contender. */
    public Sample run(Work work, ServerUse use, int units) throws Exception {
        try (ReadyWork ready = open(work)) {
            begin(ready, use);
            var ongoing = use.disturbance().map(disturbance -> disturbance.begin(server));
            try {
                return finish(ready, units);
            } finally {
                ongoing.ifPresent(Ongoing::end);
            }
        }
    }

    /** What the check of the server finds after the round of {@code sample}. */
    public List<String> check(Program program, Sample sample) {
        return program.scenario().server(program.contender()).check().complaints(server, sample);
    }

    /** The sample of a round without figures of time. */
    public static Sample sample(long operations, int units, RoundDetails details) {
        return new Sample(
                1,
                1,
                operations,
                units,
                1,
                NO_TIME,
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                details.complaints());
    }
}
