// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.Chains;
import io.millrace.lab.frameworks.VertxExperiment;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every contender of the experiment with Vert.x in this JVM, which has the class path of their workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VertxProgramsTest {

    private static final Parameters SMALL = new Parameters(
            OptionalLong.of(1_500), // more chains than the pool has connections, several commands in each
            Optional.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            42,
            false);
    private static final Experiment VERTX = VertxExperiment.of(SMALL);
    private static final int UNITS = 2;

    private final RedisServer server = RedisServer.start();
    private final Path folder;

    VertxProgramsTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterAll
    void close() {
        server.close();
    }

    static Stream<Arguments> contenders() {
        return VERTX.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender -> Arguments.of(scenario.name(), contender.label())));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyContenderPassesTheCheck(String name, String label) throws Exception {
        var scenario = VERTX.scenario(name);

        var sample = run(scenario, label);

        assertThat(scenario.server().check().complaints(server, sample)).isEmpty();
        assertThat(sample.operations()).isPositive();
        if (sample.details().figures().containsKey(Chains.P99)) {
            assertThat(sample.details().figures().get(Chains.P99))
                    .isGreaterThanOrEqualTo(sample.details().figures().get(Chains.P50))
                    .isPositive();
        }
    }

    @Test
    void valueThatIsWrongEndsTheRound() throws Exception {
        try (var ready = open(VERTX.scenario("64-chains"), "millrace/vertx")) {
            server.reset();

            ready.prepare();

            assertThatThrownBy(ready::run).hasMessageContaining("wrong value: key=" + Chains.key(0) + ", value=");
        }
    }

    @Test
    void commandThatIsMissingIsFound() throws Exception {
        var scenario = VERTX.scenario("64-chains");
        var sample = run(scenario, "vertx/connection");

        server.control().get(Chains.key(1));

        assertThat(scenario.server().check().complaints(server, sample))
                .containsExactly("calls of get: expected=2944, executed=2945, failed=0, rejected=0");
    }

    private ReadyWork open(Scenario scenario, String label) throws Exception {
        var context = new WorkContext(server.target(), server.target(), SMALL, folder);
        return ((JvmContender) scenario.contender(label)).work().open(context);
    }

    private Sample run(Scenario scenario, String label) throws Exception {
        try (var ready = open(scenario, label)) {
            ready.prepare();
            server.reset();
            scenario.server().fill().fill(server);
            long operations = 0;
            for (int unit = 0; unit < UNITS; unit++) {
                operations += ready.run();
            }
            var none = new CpuTime(0, 0, 1);
            return new Sample(
                    1,
                    1,
                    operations,
                    UNITS,
                    1,
                    none,
                    Optional.empty(),
                    Optional.empty(),
                    ready.details(),
                    List.of(),
                    List.of());
        }
    }
}
