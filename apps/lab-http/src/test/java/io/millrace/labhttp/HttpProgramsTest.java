// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpExperiment;
import io.millrace.lab.measure.Programs;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the contenders of the experiment with servers in this JVM, which has the class paths of all their workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpProgramsTest {

    private static final Parameters SMALL = new Parameters(
            OptionalLong.of(1_500),
            Optional.of(Duration.ofSeconds(1)),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            42,
            false);
    private static final Experiment HTTP = HttpExperiment.of(SMALL);

    /** Contenders that would only repeat the requests of {@code one-connection}. A start of a server takes seconds. */
    private static final Set<String> TESTED_BY_ANOTHER = Set.of("hits millrace/server", "hits millrace/liveness");

    /**
     * What Spring Boot configures because of jars that only the worker with security has. The application with security sets
     * the key itself.
     */
    private static final String EXCLUDED = Stream.of(
                    "security.autoconfigure.SecurityAutoConfiguration",
                    "security.autoconfigure.UserDetailsServiceAutoConfiguration",
                    "security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
                    "security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
                    "security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                    "data.redis.autoconfigure.DataRedisAutoConfiguration",
                    "data.redis.autoconfigure.DataRedisReactiveAutoConfiguration",
                    "data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration")
            .map(name -> "org.springframework.boot." + name)
            .reduce((names, name) -> names + "," + name)
            .orElseThrow();

    private static final String EXCLUDE = "spring.autoconfigure.exclude";

    private final RedisServer server = RedisServer.start();
    private final Path folder;

    HttpProgramsTest(@TempDir Path folder) {
        this.folder = folder;
        System.setProperty(EXCLUDE, EXCLUDED);
    }

    @AfterAll
    void close() {
        System.clearProperty(EXCLUDE);
        server.close();
    }

    /** A round trip changes nothing in a contender. */
    static Stream<Arguments> contenders() {
        return HTTP.scenarios().stream()
                .filter(scenario -> scenario.roundTrip().isZero())
                .flatMap(scenario -> scenario.contenders().stream()
                        .filter(contender -> contender instanceof JvmContender jvm
                                && jvm.classPath().isPresent())
                        .filter(contender -> !TESTED_BY_ANOTHER.contains(scenario.name() + " " + contender.label()))
                        .map(contender -> Arguments.of(scenario.name(), contender.label())));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyContenderPassesTheCheck(String name, String label) throws Exception {
        var scenario = HTTP.scenario(name);
        try (var ready = open(scenario, label)) {
            ready.prepare();
            server.reset();
            ready.fill();
            assumeProgramOf(scenario); // The server has started, and has computed and answered each value.

            var sample = sample(ready, ready.run());

            assertThat(sample.complaints()).isEmpty();
            assertThat(scenario.server().check().complaints(server, sample)).isEmpty();
            assertThat(sample.operations()).isPositive();
            assertThat(scenario.bars())
                    .filteredOn(bar -> bar.contender().equals(label))
                    .allSatisfy(bar -> assertThat(isWithoutProcess(bar.name())
                                    || bar.figure().of(sample).isPresent())
                            .as(bar.name())
                            .isTrue());
            server.reset();
            assertThat(scenario.server().check().complaints(server, sample)).isNotEmpty();
        }
    }

    /** Figures that only a worker has. */
    private static boolean isWithoutProcess(String bar) {
        return bar.startsWith("CPU") || bar.startsWith("heap");
    }

    private static void assumeProgramOf(Scenario scenario) {
        boolean isNeeded = scenario.name().equals("hits") || scenario.name().startsWith("one-connection");
        assumeTrue(
                !isNeeded || Programs.find(Wrk.NAME).isPresent(), "wrk is not on the PATH (Debian: apt install wrk)");
    }

    private ReadyWork open(Scenario scenario, String label) throws Exception {
        var context = new WorkContext(server.target(), server.target(), SMALL, folder);
        return ((JvmContender) scenario.contender(label)).work().open(context);
    }

    private static Sample sample(ReadyWork ready, long operations) throws Exception {
        var none = new CpuTime(0, 0, 1);
        var details = ready.details();
        return new Sample(
                1,
                1,
                operations,
                1,
                1,
                none,
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                details.complaints());
    }
}
