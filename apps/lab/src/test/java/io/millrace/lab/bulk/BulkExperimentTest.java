// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.TestServer;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contender does its work, and every check finds the smallest fault. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkExperimentTest {

    private static final long SIZE = 2_000;
    private static final Experiment BULK = BulkExperiment.of(RoundOnServer.size(SIZE));

    private final RedisServer server;
    private final RoundOnServer round;

    BulkExperimentTest(@TempDir Path folder) {
        server = TestServer.start();
        round = new RoundOnServer(server, RoundOnServer.size(SIZE), folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    /** The launcher would build the command line during a test. PostgreSQL has a separate test. */
    static Stream<Arguments> contenders() {
        return BULK.scenarios().stream()
                .filter(scenario -> !scenario.name().startsWith("postgres"))
                .flatMap(scenario -> scenario.contenders().stream()
                        .filter(contender -> !(scenario.name().equals("csv-hash")
                                && contender.label().equals("millrace/process")))
                        .map(contender -> Arguments.of(scenario.name(), contender.label())));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyContenderPassesTheCheck(String name, String label) throws Exception {
        var scenario = BULK.scenario(name);
        var contender = scenario.contender(label);
        var missing = contender.missing(server.target());
        assumeTrue(missing.isEmpty(), () -> name + " " + label + ": " + missing.orElseThrow());

        var sample = round.run(scenario, contender, Math.min(2, scenario.plan().maxUnits()));

        // The heap of the test JVM is larger, so the bars of the memory scenario are not looked at.
        assertThat(round.complaints(scenario, sample)).isEmpty();
        assertThat(sample.operations()).isGreaterThanOrEqualTo(name.equals("memory") ? 1 : SIZE);
    }

    @Test
    void missingKeyAndWrongValueAreFound() throws Exception {
        var scenario = BULK.scenario("set");
        var sample = round.run(scenario, scenario.contender("millrace/fused"), 1);

        server.control().append(StringData.key(SIZE - 1), "0");
        server.control().del(StringData.key(0));

        assertThat(round.complaints(scenario, sample))
                .containsExactly(
                        "keys: expected=2000, found=1999",
                        "millrace-lab:key:000000000: expected=value:0000000000, found=null",
                        "millrace-lab:key:000001999: expected=value:0000001999, found=value:00000019990");
    }

    @Test
    void operationThatDidNotSucceedIsFound() throws Exception {
        var scenario = BULK.scenario("set");
        var sample = round.run(scenario, scenario.contender("jedis"), 2);

        var complaints = round.complaints(scenario, RoundOnServer.with(sample, 2 * SIZE - 1, 2));

        assertThat(complaints).containsExactly("operations: expected=4000, succeeded=3999");
    }

    @Test
    void unitThatSentNothingIsFound() throws Exception {
        var scenario = BULK.scenario("fields");
        var contender = scenario.contender("millrace/unfused");

        var sample = round.run(scenario, contender, 1);

        assertThat(round.complaints(scenario, RoundOnServer.with(sample, 2 * SIZE, 2)))
                .containsExactly("calls of hset: expected=4000, executed=2000, failed=0, rejected=0");
    }

    @Test
    void foreignFieldAndListElementAreFound() throws Exception {
        var rows = BULK.scenario("csv-hash");
        var pops = BULK.scenario("pops");

        var loaded = round.run(rows, rows.contender("millrace/warm"), 1);
        server.control().hset("millrace-lab:row:1999", "age", "5");
        var wrongRow = round.complaints(rows, loaded);
        var popped = round.run(pops, pops.contender("millrace/fused"), 1);
        server.control().rpush("millrace-lab:list:000000000", "1");
        var leftList = round.complaints(pops, popped);

        assertThat(wrongRow).hasSize(2).last().asString().contains("row:1999: expected={id=1999", "age=5");
        assertThat(leftList).containsExactly("lists that are not empty: 1");
    }

    @Test
    void bitThatIsNotSetIsFound() throws Exception {
        var scenario = BULK.scenario("bits");
        var sample = round.run(scenario, scenario.contender("millrace/fused"), 1);

        server.control().setbit("millrace-lab:bits", SIZE - 1, false);

        assertThat(round.complaints(scenario, sample)).contains("bits: expected=2000, counted=1999");
    }

    @Test
    void programsThatAreNotInstalledAreMissingWithTheReason() {
        var scenario = BULK.scenario("csv-hash");
        assumeTrue(io.millrace.lab.measure.Programs.find("riotx").isEmpty(), "riotx is installed");

        var reason = scenario.contender("riotx").missing(Target.of("127.0.0.1", 6379));

        assertThat(reason).contains("not on the PATH: riotx. Install riotx from github.com/redis/riotx.");
    }

    @Test
    void tableOfPostgresHasEveryRow(@TempDir Path folder) throws Exception {
        var context = new WorkContext(server.target(), server.target(), round.parameters(), folder);
        var source = RowSource.table(new RowData(50));

        source.prepare(context);
        try (var connection = DriverManager.getConnection(source.location(context));
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT * FROM customers ORDER BY id")) {
            for (long n = 0; n < 50; n++) {
                assertThat(rows.next()).isTrue();
                for (int column = 0; column < RowData.COLUMNS.size(); column++) {
                    assertThat(rows.getString(column + 1))
                            .isEqualTo(RowData.values(n).get(column));
                }
            }
            assertThat(rows.next()).isFalse();
        } finally {
            source.release();
        }
    }
}
