// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.KeySlot;
import io.millrace.client.NodeCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loads into a cluster that loses no server. */
@ExtendWith(NoThreadLeft.class)
class ClusterLoadTest {

    private static final int ROWS = 6_000;
    private static final Duration HOUR = Duration.ofHours(1);

    /** Number of lists. The slot of each list moves two times while the lists are loaded. */
    private static final int LISTS = Integer.getInteger("millrace.clusterLists", 8);

    /** Rows per second. */
    private static final long RATE = Long.getLong("millrace.clusterRate", 100_000);

    private static final long MIN_LIST_ROWS = Long.getLong("millrace.clusterRows", 0);

    private static EmbeddedCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start();
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    private static ClientOptions options() {
        return ClientOptions.of(RedisUri.parse(cluster.uri()));
    }

    static Stream<Target> targets() {
        return Stream.of(
                StringTarget.of("string:{id}", "name"),
                StringTarget.of("expiring:{id}", "name").withTtl(HOUR),
                HashTarget.of("hash:{id}"),
                HashTarget.of("expiringHash:{id}").withTtl(HOUR),
                SetTarget.of("set").withValue("id"));
    }

    /** Each key is written twice, so that an overtaken row would be a difference. */
    @ParameterizedTest
    @MethodSource("targets")
    void rowsOfAllNodesAreWrittenAndVerified(Target target) {
        RowSource source = TestRows.of((row, opening, id) -> id < ROWS && TestRows.fill(row, id / 2, "Customer " + id));
        LoadOptions options = LoadOptions.builder()
                .verify(Verification.FULL)
                .connections(2)
                .inFlight(1_000)
                .build();
        List<LoadEvent> events = new ArrayList<>();

        LoadReport report = new Loader(options()).run(new LoadPlan(source, target, options), events::add);

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
        assertThat(report.verified().orElseThrow().mismatched()).isZero();
        assertThat(report.server().orElseThrow().mode()).isEqualTo("cluster");
        assertThat(events).noneMatch(LoadEvent.Warned.class::isInstance);
        assertThat(report.details().redirects()).isZero();
        assertNodesAddUp(report);
    }

    private static void assertNodesAddUp(LoadReport report) {
        List<NodeCounts> nodes = report.details().nodes();
        assertThat(nodes)
                .extracting(NodeCounts::node)
                .containsExactlyElementsOf(IntStream.of(0, KeySlot.COUNT / 2, KeySlot.COUNT - 1)
                        .mapToObj(cluster::primaryOf)
                        .map(node -> node.host() + ":" + node.port())
                        .sorted()
                        .toList());
        assertThat(nodes.stream().map(NodeCounts::commands).reduce(CommandCounts.NONE, CommandCounts::plus))
                .isEqualTo(report.commands());
        assertThat(LoadReportJson.parse(LoadReportJson.of(report)).details().nodes())
                .isEqualTo(nodes);
    }

    @Test
    void elementsOfEachListKeepTheirOrderWhileTheSlotsOfTheListsMove() {
        List<Integer> slots = IntStream.range(0, LISTS)
                .map(list -> KeySlot.of("list:" + list))
                .boxed()
                .toList();
        // No slot moves back at once: then the order is not guaranteed.
        CompletableFuture<Void> moves = CompletableFuture.runAsync(() -> {
            slots.forEach(ClusterLoadTest::move);
            slots.forEach(ClusterLoadTest::move);
        });
        // The source ends some rows after the last move.
        long[] end = {Long.MAX_VALUE};
        RowSource source = TestRows.of((row, opening, id) -> {
            if (moves.isDone() && id >= MIN_LIST_ROWS && end[0] == Long.MAX_VALUE) {
                end[0] = (id / LISTS + 100) * LISTS;
            }
            return id < end[0] && TestRows.fill(row, id % LISTS, Long.toString(id / LISTS));
        });

        LoadReport report = new Loader(options())
                .run(
                        // The rate limits the rows that the lists contain at the end of slow moves.
                        new LoadPlan(
                                source,
                                ListTarget.of("list:{id}").withValue("name"),
                                LoadOptions.builder().rate(RATE).build()),
                        event -> {});

        moves.join();
        assertThat(report.rows()).isEqualTo(new RowCounts(end[0], end[0], 0, 0, 0));
        assertThat(report.details().redirects()).isPositive();
        assertNodesAddUp(report);
        try (RedisClient client = RedisClient.connect(options())) {
            for (int list = 0; list < LISTS; list++) {
                assertThat(client.call(Lists.range("list:" + list, 0, -1)))
                        .isEqualTo(LongStream.range(0, end[0] / LISTS)
                                .mapToObj(Long::toString)
                                .toList());
            }
        }
    }

    private static void move(int slot) {
        cluster.moveSlot(slot, otherPrimary(slot));
    }

    private static EmbeddedRedis otherPrimary(int slot) {
        EmbeddedRedis owner = cluster.primaryOf(slot);
        return IntStream.of(0, KeySlot.COUNT / 2, KeySlot.COUNT - 1)
                .mapToObj(cluster::primaryOf)
                .filter(primary -> !primary.equals(owner))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void factsOfAllPrimariesAreCombined() {
        try (RedisClient client = RedisClient.connect(options())) {
            var unused = client.call(Command.of("SET", "a", "1"));

            List<String> memory = ClusterServers.callEach(client, Server.info("memory"), Duration.ofSeconds(10));
            ServerFacts server = ServerFacts.soon(client, "server").orElseThrow();

            assertThat(ClusterServers.count(client)).isEqualTo(3);
            assertThat(memory).hasSize(3);
            assertThat(server.runId().orElseThrow().split(",")).hasSize(3).doesNotHaveDuplicates();
            assertThat(ServerFacts.combined(memory).number("used_memory").orElseThrow())
                    .isEqualTo(memory.stream()
                            .mapToLong(text -> ServerFacts.parsed(text)
                                    .number("used_memory")
                                    .orElseThrow())
                            .sum());
            assertThat(ServerFacts.cpuSeconds(client)).isPresent();
        }
    }

    @Test
    void whatNeedsKeysOfSeveralServersIsRefused() {
        LoadOptions checkpoint = LoadOptions.builder()
                .checkpoint(CheckpointOptions.of("refused"))
                .build();
        LoadOptions swap =
                LoadOptions.builder().reload(new Reload("refused", true, false)).build();

        assertThatThrownBy(() -> load(options(), ListTarget.of("refused").withValue("id"), checkpoint))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("the keys of a cluster are on several servers: checkpoint=refused");
        assertThatThrownBy(() -> load(options(), StringTarget.of("refused:{id}", "name"), swap))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("the keys of a cluster are on several servers: job=refused");
    }

    @Test
    void singleNodeOfTheClusterIsRefused() {
        EmbeddedRedis node = cluster.primaryOf(0);
        ClientOptions single = ClientOptions.of(RedisUri.of(node.host(), node.port()));

        assertThatThrownBy(() -> load(single, StringTarget.of("refused:{id}", "name"), LoadOptions.defaults()))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("is a node of a cluster, which stores a part of the keys")
                .hasMessageContaining("redis-cluster://");
    }

    private static void load(ClientOptions options, Target target, LoadOptions loadOptions) {
        var unused = new Loader(options).run(new LoadPlan(TestRows.count(10), target, loadOptions), event -> {});
    }
}
