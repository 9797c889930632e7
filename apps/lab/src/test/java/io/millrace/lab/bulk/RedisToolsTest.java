// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender.Ended;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How programs are started, and how their output is understood. */
class RedisToolsTest {

    private static final String PASSWORD = "s3cret/?";
    private static final Target OPEN = Target.of("127.0.0.1", 6379);
    private static final Target CLOSED = new Target(
            "10.0.0.1",
            7000,
            Optional.empty(),
            Optional.of("ann"),
            Optional.of(PASSWORD),
            3,
            Optional.of(Path.of("/ca.pem")),
            false,
            0,
            0,
            Target.LONG_TIMEOUT);

    @TempDir
    private Path folder;

    private WorkContext context(Target target) {
        return new WorkContext(target, target, Parameters.DEFAULT, folder);
    }

    @Test
    void passwordIsInTheEnvironmentAndNotAmongTheArguments() {
        var pipe = RedisTools.pipeSets(1_000).program().invocation(context(CLOSED));
        var small = new SmallProgramProcess(1_000).invocation(context(CLOSED));

        assertThat(pipe.command())
                .containsExactly(
                        "redis-cli",
                        "-h",
                        "10.0.0.1",
                        "-p",
                        "7000",
                        "--user",
                        "ann",
                        "--tls",
                        "--cacert",
                        "/ca.pem",
                        "-n",
                        "3",
                        "--pipe");
        assertThat(pipe.environment()).containsExactly(Map.entry("REDISCLI_AUTH", PASSWORD));
        assertThat(small.command()).noneMatch(argument -> argument.contains("s3cret"));
        var options = Connections.fromEnvironment(small.environment());
        assertThat(options.uri()).hasToString("rediss://10.0.0.1:7000/3");
        assertThat(options.uri().user()).contains("ann");
        assertThat(options.uri().password()).contains(PASSWORD);
        assertThat(options.tls().caCertificate()).contains(Path.of("/ca.pem"));
    }

    @Test
    void benchmarkIsMissingIfThePasswordWouldBeAnArgument() {
        var reason = RedisTools.benchmark(10).missing(CLOSED).orElseThrow();

        assertThat(reason).doesNotContain("s3cret").containsAnyOf("without a password", "not on the PATH");
    }

    @Test
    void commandsAreWrittenAsTheProtocolRequires() throws Exception {
        var pipe = RedisTools.pipe(
                "any", 2, 2, FusedCalls.NONE, () -> Stream.of(List.of("SET", "k", "ä"), List.of("PING")));

        pipe.program().prepare(context(OPEN));

        assertThat(folder.resolve("commands.resp"))
                .content()
                .isEqualTo("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nä\r\n*1\r\n$4\r\nPING\r\n");
    }

    @Test
    void msetsHoldEveryPairOnce() {
        var msets = new StringData(130).msets(RedisTools.PAIRS_PER_MSET).toList();

        assertThat(msets).extracting(List::size).containsExactly(129, 129, 5);
        assertThat(msets.getLast()).endsWith(StringData.key(129), StringData.value(129));
    }

    @Test
    void pipeWithAnErrorOrAMissingReplyFails() {
        var program = RedisTools.pipeMsets(130).program();
        var right = new Ended(0, "All data transferred.\nerrors: 0, replies: 3\n", "");

        assertThat(program.details(context(OPEN), right).outcomes()).contains(Outcomes.ok(130));
        for (var output : List.of("errors: 1, replies: 3", "errors: 0, replies: 2", "")) {
            assertThatThrownBy(() -> program.details(context(OPEN), new Ended(0, output, "")))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("expected=3");
        }
    }

    @Test
    void benchmarkThatStoppedEarlyFails() {
        var program = RedisTools.benchmark(1_000).program();
        var few = new Ended(0, "  999 requests completed in 0.02 seconds", "");
        var refused = new Ended(1, "", "Node replied with error:\nNOAUTH Authentication required.");

        assertThatThrownBy(() -> program.details(context(OPEN), few)).isInstanceOf(LabException.class);
        assertThatThrownBy(() -> program.details(context(OPEN), refused))
                .hasMessage("redis-benchmark did not finish: operations=1000: exit=1, output=Node replied with error:"
                        + " NOAUTH Authentication required.");
    }

    @Test
    void heapThatGrowsIsSeenInTheLastQuarter() {
        var growing = new HeapRecording(List.of(1.0, 90.0, 10.0, 30.0, 40.0, 50.0, 20.0, 60.0));

        var figures =
                growing.addTo(io.millrace.lab.experiment.RoundDetails.NONE).figures();

        assertThat(figures).containsOnly(Map.entry(HeapRecording.PEAK, 90.0), Map.entry(HeapRecording.GROWTH, 2.0));
    }
}
