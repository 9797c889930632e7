// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundInThisJvm;
import io.millrace.lab.experiment.RoundInThisJvm.Program;
import io.millrace.lab.frameworks.Chains;
import io.millrace.lab.frameworks.VertxExperiment;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every contender of the experiment with Vert.x in this JVM, which has the class path of their workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VertxProgramsTest {

    /** More chains than the pool has connections, and several commands in each chain. */
    private static final Parameters SMALL = Parameters.DEFAULT.withSize(1_500);

    private static final Experiment VERTX = VertxExperiment.of(SMALL);
    private static final int UNITS = 2;

    private final RedisServer server = RedisServer.start();
    private final RoundInThisJvm rounds;

    VertxProgramsTest(@TempDir Path folder) {
        this.rounds = new RoundInThisJvm(server, SMALL, folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    static Stream<Program> programs() {
        return RoundInThisJvm.programs(VERTX);
    }

    @ParameterizedTest
    @MethodSource("programs")
    void everyContenderPassesTheCheck(Program program) throws Exception {
        var sample = rounds.run(program, UNITS);

        assertThat(sample.complaints()).isEmpty();
        assertThat(rounds.check(program, sample)).isEmpty();
        assertThat(sample.operations()).isPositive();
        if (sample.details().figures().containsKey(Chains.P99)) {
            assertThat(sample.details().figures().get(Chains.P99))
                    .isGreaterThanOrEqualTo(sample.details().figures().get(Chains.P50))
                    .isPositive();
        }
    }

    @Test
    void testHasEveryContender() {
        assertThat(programs())
                .hasSameSizeAs(VERTX.scenarios().stream()
                        .flatMap(scenario -> scenario.contenders().stream())
                        .toList());
    }

    private static Program program(String label) {
        return RoundInThisJvm.program(VERTX.scenario("64-chains"), label);
    }

    @Test
    void valueThatIsWrongEndsTheRound() throws Exception {
        try (var ready = rounds.open(program("millrace/vertx"))) {
            server.reset();

            ready.prepare();

            assertThatThrownBy(ready::run).hasMessageContaining("wrong value: key=" + Chains.key(0) + ", value=");
        }
    }

    @Test
    void commandThatIsMissingIsFound() throws Exception {
        var program = program("vertx/connection");
        var sample = rounds.run(program, UNITS);

        server.control().get(Chains.key(1));

        assertThat(rounds.check(program, sample))
                .containsExactly("calls of get: expected=2944, executed=2945, failed=0, rejected=0");
    }
}
