// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundInThisJvm;
import io.millrace.lab.experiment.RoundInThisJvm.Program;
import io.millrace.lab.frameworks.CachedCalls;
import io.millrace.lab.frameworks.SpringExperiment;
import io.millrace.lab.frameworks.TableLoad;
import io.millrace.lab.server.RedisServer;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contenders of the experiment with Spring Boot in this JVM, which has the class path of their workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringProgramsTest {

    private static final Parameters SMALL = Parameters.DEFAULT.withSize(1_500); // more than one pipeline
    private static final Experiment SPRING = SpringExperiment.of(SMALL);
    private static final int UNITS = 2;

    private final RedisServer server = RedisServer.start();
    private final RoundInThisJvm rounds;

    SpringProgramsTest(@TempDir Path folder) {
        this.rounds = new RoundInThisJvm(server, SMALL, folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    /** A round trip changes nothing in a contender. */
    static Stream<Program> programs() {
        return RoundInThisJvm.programs(SPRING)
                .filter(program -> program.scenario().roundTrip().isZero());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void everyContenderPassesTheCheck(Program program) throws Exception {
        var sample = rounds.run(program, UNITS);

        assertThat(sample.complaints()).isEmpty();
        assertThat(rounds.check(program, sample)).isEmpty();
        assertThat(sample.operations()).isPositive();
        if (program.scenario().unit().equals("rows")) {
            assertThat(sample.operations()).isEqualTo(1_500L * UNITS);
            assertThat(sample.details().figures().get(TableLoad.SECONDS)).isPositive();
        }
    }

    private static Program program(String scenario, String label) {
        return RoundInThisJvm.program(SPRING.scenario(scenario), label);
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace/cacheable", "spring/cacheable"})
    void missAndMissingEntryAreFound(String label) throws Exception {
        var program = program("cache-1-caller", label);
        try (var ready = rounds.open(program)) {
            rounds.begin(ready, program.scenario().server());
            var some = server.control().keys("*").iterator().next();
            server.control().del(some);

            var missing = rounds.check(program, RoundInThisJvm.sample(1, UNITS, ready.details()));
            long calls = ready.run();

            assertThat(missing).containsExactly("keys: expected=" + CachedCalls.KEYS + ", found=999");
            assertThat(calls).isGreaterThanOrEqualTo(CachedCalls.KEYS);
            assertThat(ready.details().complaints()).containsExactly("misses: 1");
        }
    }

    @Test
    void rowThatIsMissingIsFound() throws Exception {
        var program = program("hashes", "millrace/job");
        var sample = rounds.run(program, UNITS);

        server.control().del("millrace-lab:row:0");

        assertThat(rounds.check(program, sample)).hasSize(2).first().isEqualTo("keys: expected=1500, found=1499");
    }

    /** The artifacts of the starter alone, of the start that is measured. */
    private static String classPathOfTheStarter() {
        List<String> artifacts = List.of(System.getProperty("millrace.start").split(",", -1));
        List<String> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> artifacts.stream().anyMatch(artifact -> isOf(artifact, Path.of(entry))))
                .toList();
        assertThat(entries).hasSameSizeAs(artifacts);
        return String.join(File.pathSeparator, entries);
    }

    /** Whether {@code entry} is a jar of {@code artifact}, or the classes of the module in a build that makes no jars. */
    private static boolean isOf(String artifact, Path entry) {
        return String.valueOf(entry.getFileName()).matches(Pattern.quote(artifact) + "-\\d.*\\.jar")
                || entry.endsWith(Path.of(artifact.replaceFirst("millrace-", ""), "target", "classes"));
    }

    @Test
    void emptyApplicationStartsAndEndsWithTheStarterAlone() throws Exception {
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPathOfTheStarter(),
                        EmptyApplication.class.getName())
                .redirectErrorStream(true);
        builder.environment()
                .put(
                        "MILLRACE_REDIS_URL",
                        "redis://127.0.0.1:" + server.target().port());

        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("ready");
    }
}
