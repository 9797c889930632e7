// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each example through its main method, as a user does. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ProgramsTest {

    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    static Stream<Arguments> programs() {
        return Stream.of(
                Arguments.of("SetGetDelete", (Program) SetGetDelete::main, "value after: Optional[hello]"),
                Arguments.of("RotatingPassword", (Program) RotatingPassword::main, "reply after the change: PONG"),
                Arguments.of("CommandMetrics", (Program) CommandMetrics::main, "ERR value is not an integer"),
                Arguments.of("Batch", (Program) Batch::main, "about: not counted: ERR"),
                Arguments.of(
                        "OptimisticLock", (Program) OptimisticLock::main, "Grace orders 3, and 2 are left: SOLD_OUT"),
                Arguments.of("ReplicatedWrite", (Program) ReplicatedWrite::main, "a replica has the order: false"),
                Arguments.of("SteadyRate", (Program) SteadyRate::main, "calls: 1000, failed: 0"),
                Arguments.of("TenThreads", (Program) TenThreads::main, "10 threads counted to 10000"),
                Arguments.of("ProducerConsumers", (Program) ProducerConsumers::main, "done: 9"),
                Arguments.of("FeedRefresher", (Program) FeedRefresher::main, "refreshed: 450, dead: 50"),
                Arguments.of("EmailJobs", (Program) EmailJobs::main, "again: 1, 1 recurring"),
                Arguments.of("StaleRows", (Program) StaleRows::main, "refreshed: 100, due: 0"),
                Arguments.of(
                        "RateLimitedTasks",
                        (Program) RateLimitedTasks::main,
                        "succeeded: 999, failed: 1, timed out: 0, cancelled: 0, pending: 0, retries: 11"),
                Arguments.of("ParallelProducers", (Program) ParallelProducers::main, "NL=1000"),
                Arguments.of("StreamWorkQueue", (Program) StreamWorkQueue::main, "jobs done: 1000"),
                Arguments.of(
                        "PackedPairs",
                        (Program) PackedPairs::main,
                        "Grace, user 99; removed: true; 9,999 pairs in 79 hashes, all compact: true, "),
                Arguments.of("CachedSlowCall", (Program) CachedSlowCall::main, "slow calls: 4"),
                Arguments.of("CachedFunction", (Program) CachedFunction::main, "calls of the function: 1"),
                Arguments.of(
                        "CachedMultiGet",
                        (Program) CachedMultiGet::main,
                        "values: {1=Ada, 2=Grace, 3=Barbara}\nbroken: "),
                Arguments.of("NearCachedPages", (Program) NearCachedPages::main, "home: version 2"),
                Arguments.of(
                        "WarmedCache",
                        (Program) WarmedCache::main,
                        "WarmUpStats[read=4, written=4, rejected=0, unconfirmed=0, notSent=0, firstFailure=]"),
                Arguments.of("FireAndForget", (Program) FireAndForget::main, "Redis counted"),
                Arguments.of("QueueIntoPipelines", (Program) QueueIntoPipelines::main, "counted=4000, dropped=0"),
                Arguments.of("DataTypesTour", (Program) DataTypesTour::main, "latest: [four, three, two]"),
                Arguments.of("GuardedCalls", (Program) GuardedCalls::main, "name: Ada, circuit breaker: CLOSED"),
                Arguments.of("DailyActives", (Program) DailyActives::main, "in the week: 100000"),
                Arguments.of("SetGetDelExample", (Program) SetGetDelExample::main, "rounds: 1000, failed: 0"),
                Arguments.of("BatchExample", (Program) BatchExample::main, "batches: 1000, counted: 10000, failed: 0"),
                Arguments.of(
                        "ServiceMetrics",
                        (Program) ServiceMetrics::main,
                        "cache_gets_total{cache=\"example:metrics\",result=\"hit\"} 9.0"),
                Arguments.of("Subscriber", (Program) Subscriber::main, "texts=[one, two, three]"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void examplePrintsItsResultAndLeavesNoKeys(String name, Program program, String expected) throws Exception {
        String output = CapturedOutput.of(() -> program.run(new String[] {server.uri()}));

        assertThat(output).contains(expected);
        try (RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void exampleForAClusterPrintsItsResultAndLeavesNoKeys() throws Exception {
        try (EmbeddedCluster cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0)) {
            String output = CapturedOutput.of(() -> CartsInACluster.main(new String[] {cluster.uri()}));

            assertThat(output)
                    .isEqualTo("prices: 1000, failed: 0, nodes: 3\nkeys on all nodes: 1000\none hash slot: true\n"
                            + "bought: EXECUTED, total: 120\n");
            try (RedisClient client = RedisClient.connect(RedisUri.parse(cluster.uri()))) {
                assertThat(client.call(Server.size())).isZero();
            }
        }
    }

    @Test
    void outputOfTheBatchExampleIsQuotedInTheDocuments() throws Exception {
        String output = CapturedOutput.of(() -> Batch.main(new String[] {server.uri()}));

        assertThat(Snippets.read(Path.of("README.md"))).contains("\n" + output + "```");
        assertThat(Snippets.read(Path.of("../docs/delivery.md")))
                .contains("```text\n" + output.lines().toList().getLast() + "\n```");
    }

    /** The dates differ from week to week, and the numbers do not. */
    @Test
    void retentionTableOfTheDailyActivesIsQuotedInTheDocuments() throws Exception {
        String output = CapturedOutput.of(() -> DailyActives.main(new String[] {server.uri()}));

        String table = output.lines()
                .dropWhile(line -> !line.startsWith("in the week, but"))
                .skip(1)
                .limit(7)
                .map(line -> line + "\n")
                .collect(Collectors.joining());
        assertThat(table).contains("%");
        assertThat(withoutDates(Snippets.read(Path.of("../docs/bitmaps.md"))))
                .contains("```text\n" + withoutDates(table) + "```");
    }

    private static String withoutDates(String text) {
        return text.replaceAll("\\d{4}-\\d{2}-\\d{2}", "DATE");
    }

    @Test
    void everyExampleIsRun() throws IOException {
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/io/millrace/examples"))) {
            assertThat(Stream.concat(
                            programs().map(program -> program.get()[0] + ".java"), Stream.of("CartsInACluster.java")))
                    .containsExactlyInAnyOrderElementsOf(sources.map(source -> String.valueOf(source.getFileName()))
                            .filter(source -> !source.equals("package-info.java"))
                            .toList());
        }
    }

    /** A {@code main} method. */
    @FunctionalInterface
    interface Program {

        void run(String[] args) throws Exception;
    }
}
