// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.ServerBinary;
import io.millrace.lab.TestServer;
import io.millrace.lab.bulk.RoundOnServer;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ClientKillParams;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PairMemoryTest {

    private static final int PAIRS = 20_000;
    private static final String LIMIT = "hash-max-listpack-entries";
    private static final Experiment PAIR_MEMORY = PairMemory.of(RoundOnServer.size(PAIRS));

    private final RedisServer server = TestServer.start();
    private final RoundOnServer round;

    PairMemoryTest(@TempDir Path folder) {
        round = new RoundOnServer(server, RoundOnServer.size(PAIRS), folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    private Sample run(String scenario, String library) throws Exception {
        return round.run(
                PAIR_MEMORY.scenario(scenario), PAIR_MEMORY.scenario(scenario).contender(library), 1);
    }

    private double bytesPerPair(String scenario, String library) throws Exception {
        var sample = run(scenario, library);
        assertThat(round.complaints(PAIR_MEMORY.scenario(scenario), sample)).isEmpty();
        return sample.details().figures().getOrDefault(StorePairs.BYTES_PER_PAIR, -1.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace", "jedis"})
    void packedPairsTakeAQuarterOfStringsUnlessTheHashesAreAboveTheLimit(String library) throws Exception {
        var missing = MemoryServer.missing(server.target());
        assumeTrue(missing.isEmpty(), () -> missing.orElseThrow());
        var limit = server.control().configGet(LIMIT);

        double strings = bytesPerPair("strings", library);

        assertThat(strings).isBetween(40.0, 150.0);
        assertThat(bytesPerPair("packed-128", library)).isLessThan(strings / 4);
        assertThat(bytesPerPair("packed-1000", library)).isGreaterThan(strings / 2);
        assertThat(bytesPerPair("packed-1000-limit-raised", library)).isLessThan(strings / 4);
        assertThat(server.control().configGet(LIMIT)).isEqualTo(limit);
    }

    @Test
    void remarkNamesTheTrap() throws Exception {
        var sample = run("packed-1000", "millrace");

        assertThat(sample.details().remark().orElseThrow()).contains("hashtable", LIMIT, "THE TRAP");
    }

    @Test
    void wrongPairIsFound() throws Exception {
        var layout = PairLayout.PACKED_128;
        PairWriter wrongAtTheEnd = (target, used, pairs) -> {
            long written = PairWriter.millrace(target, used, pairs);
            server.control().hset(layout.hash(PAIRS - 1), layout.field(PAIRS - 1), "0");
            return written;
        };
        var context = new io.millrace.lab.experiment.WorkContext(
                server.target(), server.target(), round.parameters(), round.folder());
        server.reset();

        try (var ready = new StorePairs(layout, PAIRS, wrongAtTheEnd).open(context)) {
            ready.prepare();
            ready.fill();
            var unused = ready.run();

            assertThat(ready.details().complaints()).containsExactly("pairs: expected=20000, right=19999");
        }
    }

    @Test
    void serverWithAnotherAllocatorIsMissing() {
        try (var redis = EmbeddedRedis.start(EmbeddedOptions.defaults().withBinary(ServerBinary.fromJar()))) {
            var reason = MemoryServer.missing(Target.of(redis.host(), redis.port()));

            assertThat(reason.orElseThrow()).startsWith("memory is measured on a server with jemalloc");
        }
    }

    @Test
    void limitThatIsHighEnoughStays() {
        try (var memory = MemoryServer.open(server.target(), 0)) {
            long before = memory.limit();

            memory.raiseLimit(before - 1);

            assertThat(memory.limit()).isEqualTo(before);
        }
    }

    @Test
    void limitIsRestoredAfterTheConnectionBroke() {
        try (var another = server.connect()) {
            var memory = MemoryServer.open(server.target(), 0);
            long before = memory.limit();
            memory.raiseLimit(before + 1_000);
            long raised = memory.limit();

            another.clientKill(ClientKillParams.clientKillParams()
                    .type(ClientType.NORMAL)
                    .id(Long.toString(memory.control().clientId())));

            assertThatThrownBy(memory::limit).isInstanceOf(JedisException.class);
            memory.close();
            assertThat(raised).isEqualTo(before + 1_000);
            assertThat(another.configGet(LIMIT)).containsEntry(LIMIT, Long.toString(before));
        }
    }
}
