// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender.Ended;
import io.millrace.lab.run.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis' own tools as contenders: how they are started, and what is made of what they say. */
class RedisToolsTest {

    private static final String PASSWORD = "s3cret";
    private static final Endpoint OPEN = Endpoint.of("127.0.0.1", 6379);
    private static final Endpoint CLOSED = new Endpoint("10.0.0.1", 7000, Optional.of("ann"), Optional.of(PASSWORD), 3);

    @TempDir
    private Path folder;

    private Task task(Endpoint endpoint) {
        return new Task("w", "c", 1_000, endpoint, Map.of(CliPipe.COMMANDS, "/commands"), folder.toString());
    }

    @Test
    void aProgramThatIsNotInstalledIsMissingWithWhatToInstall() {
        assertThat(new CliPipe("no-such-cli").missing(OPEN))
                .hasValueSatisfying(why -> assertThat(why)
                        .startsWith("not on the PATH: no-such-cli. Install ")
                        .contains("redis-tools"));
        assertThat(new RedisBenchmark("no-such-benchmark").missing(OPEN))
                .hasValueSatisfying(why -> assertThat(why).startsWith("not on the PATH: no-such-benchmark. Install "));
        assertThat(new CliPipe("sh").missing(CLOSED)).isEmpty();
    }

    @Test
    void theBenchmarkIsMissingWhereAPasswordWouldBeAnArgument() {
        var benchmark = new RedisBenchmark("sh");

        assertThat(benchmark.missing(OPEN)).isEmpty();
        assertThat(benchmark.missing(CLOSED))
                .hasValueSatisfying(
                        why -> assertThat(why).contains("without one").doesNotContain(PASSWORD));
    }

    @Test
    void thePasswordIsInTheEnvironmentAndNotAmongTheArguments() {
        var invocation = new CliPipe().invocation(task(CLOSED));

        assertThat(invocation.command())
                .containsExactly("redis-cli", "-h", "10.0.0.1", "-p", "7000", "--user", "ann", "-n", "3", "--pipe");
        assertThat(invocation.environment()).containsExactly(Map.entry("REDISCLI_AUTH", PASSWORD));
        assertThat(new CliPipe().invocation(task(OPEN)).environment()).isEmpty();
    }

    @Test
    void theSmallProgramToo() {
        var invocation = new MillraceSmallProgram("bulk-writer-process", "lab:").invocation(task(CLOSED));

        assertThat(invocation.command()).endsWith("10.0.0.1", "7000", "1000", "3", "lab:", "ann");
        assertThat(invocation.command()).doesNotContain(PASSWORD);
        assertThat(invocation.environment()).containsValue(PASSWORD);
    }

    @Test
    void commandsAreWrittenAsTheyGoOverTheWire() {
        var file = CommandFile.write(folder.resolve("commands"), Stream.of(List.of("SET", "k", "ä"), List.of("PING")));

        assertThat(file).content().isEqualTo("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nä\r\n*1\r\n$4\r\nPING\r\n");
        assertThat(Files.exists(file)).isTrue();
    }

    @Test
    void theBenchmarkCountsWhatItSays() {
        var output = "====== SET ======\n  1100 requests completed in 0.02 seconds\n  100 parallel clients\n";

        var account = new RedisBenchmark().account(task(OPEN), new Ended(0, output, ""));

        assertThat(account.outcomes()).contains(Outcomes.answered(1_100, 0));
        assertThat(account.figures()).containsExactly(Map.entry(Measured.OPERATIONS, 1_100.0));
    }

    @Test
    void aBenchmarkThatStoppedEarlyFails() {
        var benchmark = new RedisBenchmark();
        var few = new Ended(0, "  999 requests completed in 0.02 seconds", "");
        var refused = new Ended(1, "", "Node replied with error:\nNOAUTH Authentication required.");

        assertThatThrownBy(() -> benchmark.account(task(OPEN), few)).isInstanceOf(LabException.class);
        assertThatThrownBy(() -> benchmark.account(task(OPEN), refused))
                .isInstanceOf(LabException.class)
                .hasMessage("redis-benchmark did not finish: exit=1, operations=1000, said=Node replied with error:"
                        + " NOAUTH Authentication required.");
    }
}
