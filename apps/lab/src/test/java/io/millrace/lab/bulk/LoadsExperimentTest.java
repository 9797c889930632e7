// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.TestServer;
import io.millrace.lab.experiment.Bar.Limit;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contender loads every row, and every check finds the smallest fault. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadsExperimentTest {

    private static final long SIZE = 1_500; // more than one pipeline and one chunk
    private static final Experiment LOADS = LoadsExperiment.of(RoundOnServer.size(SIZE));

    private final RedisServer server;
    private final RoundOnServer round;

    LoadsExperimentTest(@TempDir Path folder) {
        server = TestServer.start();
        round = new RoundOnServer(server, RoundOnServer.size(SIZE), folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    static Stream<Arguments> contenders() {
        return LOADS.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender -> Arguments.of(scenario.name(), contender.label())));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyContenderPassesTheCheck(String name, String label) throws Exception {
        var scenario = LOADS.scenario(name);
        var missing = scenario.contender(label).missing(server.target());
        assumeTrue(missing.isEmpty(), () -> name + " " + label + ": " + missing.orElseThrow());

        var sample = round.run(scenario, scenario.contender(label), 2);

        assertThat(round.complaints(scenario, sample)).isEmpty();
        assertThat(sample.operations()).isEqualTo(SIZE * sample.units());
    }

    @Test
    void bytesOfAnExpiryAreLimited() {
        assertThat(limitsOfBytes("ttl-fields")).containsExactly(Limit.atMost(1.05));
        assertThat(limitsOfBytes("ttl-rows")).containsExactly(Limit.atMost(1.4));
    }

    private static List<Limit> limitsOfBytes(String scenario) {
        return LOADS.scenario(scenario).bars().stream()
                .filter(bar -> bar.name().equals("bytes sent"))
                .map(bar -> bar.limit().orElseThrow())
                .toList();
    }

    private Sample loaded(Scenario scenario, String label) throws Exception {
        var sample = round.run(scenario, scenario.contender(label), 1);
        assertThat(round.complaints(scenario, sample)).isEmpty();
        return sample;
    }

    @Test
    void expiryThatIsMissingOrTooMuchIsFound() throws Exception {
        var scenario = LOADS.scenario("ttl-rows");
        var last = RowData.key(SIZE - 1);

        var expiring = loaded(scenario, "millrace/ttl");
        server.control().persist(last);
        var missing = round.complaints(scenario, expiring);
        var plain = loaded(scenario, "millrace/plain");
        server.control().expire(last, 100);
        var tooMuch = round.complaints(scenario, plain);

        assertThat(missing).containsExactly(last + ": expiry expected s=3600.0, found ms=-1");
        assertThat(tooMuch).hasSize(1).first().asString().startsWith(last + ": expiry expected s=0.0, found ms=");
    }

    @Test
    void fieldThatIsMissingAndFieldThatIsWrongAreFound() throws Exception {
        var scenario = LOADS.scenario("ttl-fields");
        var sample = loaded(scenario, "millrace/ttl");

        server.control().hset(ExpiryCheck.SHARED_KEY, "0", "nobody");
        server.control().hdel(ExpiryCheck.SHARED_KEY, "1");

        assertThat(round.complaints(scenario, sample))
                .containsExactly(
                        "fields: expected=1500, found=1499",
                        "field 0: expected=" + RowData.values(0).get(2) + ", found=nobody");
    }

    @Test
    void documentWithAnotherNumberIsFound() throws Exception {
        var scenario = LOADS.scenario("documents");
        var sample = loaded(scenario, "millrace/warm");
        var expected = RowData.json(RowData.values(0));

        server.control().set(RowData.key(0), expected.replace("\"id\":0", "\"id\":1"));

        assertThat(round.complaints(scenario, sample)).last().asString().contains("expected=" + expected);
    }

    @Test
    void markThatIsNotSetIsFound() throws Exception {
        var scenario = LOADS.scenario("marks");
        var sample = loaded(scenario, "jedis/setbit");
        long first = server.control().bitpos("millrace-lab:active:2026-11-30", true);

        server.control().setbit("millrace-lab:active:2026-11-30", first, false);

        assertThat(round.complaints(scenario, sample))
                .containsExactly(
                        "calls of setbit: expected=1500, executed=1501, failed=0, rejected=0",
                        "2026-11-30: marks expected=50, counted=49");
    }

    @Test
    void readingThatLosesARowOrWritesAKeyIsFound() throws Exception {
        var scenario = LOADS.scenario("postgres");
        var sample = loaded(scenario, "jdbc/read");
        long characters = new RowData(SIZE).characters();

        server.control().set("millrace-lab:row:0", "x");

        assertThat(round.complaints(scenario, RoundOnServer.with(sample, 2 * SIZE - 1, 2)))
                .containsExactly(
                        "rows: expected=3000, read=2999",
                        "characters: expected=" + 2 * characters + ", read=" + characters,
                        "keys: expected=0, found=1");
    }
}
