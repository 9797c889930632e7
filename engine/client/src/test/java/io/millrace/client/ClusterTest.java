// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of a cluster whose slots stay where they are, or move between two commands. */
class ClusterTest {

    private static final int KEYS = 300;

    private static EmbeddedCluster cluster;
    private RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
        client.call(Server.flushAll());
    }

    @AfterEach
    void closeClient() {
        CommandCounts counts = client.counts();
        client.close();
        assertThat(counts.pending()).isZero();
        assertThat(client.counts().lost()).isZero();
    }

    @Test
    void clusterHasDatabaseZeroOnly() {
        EmbeddedRedis node = cluster.nodes().getFirst();
        RedisUri otherDatabase = RedisUri.of(node.host(), node.port()).withDatabase(3);

        assertThatThrownBy(() -> RedisClient.connect(otherDatabase))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining(node.host() + ":" + node.port())
                .hasMessageContaining("SELECT is not allowed in cluster mode");
    }

    @Test
    void callsReachTheNodeOfEachKey() {
        client.call(Command.of("CONFIG RESETSTAT"));

        for (int i = 0; i < KEYS; i++) {
            client.call(Strings.set("key-" + i, "value-" + i));
        }

        for (int i = 0; i < KEYS; i++) {
            assertThat(client.call(Strings.get("key-" + i))).contains("value-" + i);
        }
        assertThat(client.call(Server.size())).isEqualTo(KEYS);
        assertThat(client.counts().error()).isZero();
        assertThat(ClusterErrors.count(cluster, "MOVED")).isZero();
    }

    @Test
    void futuresOfSentCommandsReceiveTheirOwnReplies() {
        List<CompletableFuture<Long>> lengths = new ArrayList<>();
        List<CompletableFuture<Optional<String>>> values = new ArrayList<>();

        for (int i = 0; i < KEYS; i++) {
            lengths.add(client.send(Strings.append("key-" + i, "v".repeat(i + 1))));
            values.add(client.send(Strings.get("key-" + i)));
        }

        for (int i = 0; i < KEYS; i++) {
            assertThat(lengths.get(i).join()).isEqualTo(i + 1);
            assertThat(values.get(i).join()).contains("v".repeat(i + 1));
        }
    }

    @Test
    void pipelineReturnsResultsInTheOrderOfItsCommands() {
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> results = new ArrayList<>();

        for (int i = 0; i < KEYS; i++) {
            results.add(pipeline.add(Lists.pushRight("list-" + i % 50, Integer.toString(i))));
        }
        List<Result<?>> all = pipeline.run();

        assertThat(all).containsExactlyElementsOf(results);
        for (int i = 0; i < KEYS; i++) {
            assertThat(results.get(i).value()).isEqualTo(i / 50 + 1);
        }
    }

    @Test
    void pipelineWithListenerReportsResultsInTheOrderOfItsCommands() {
        List<Long> reported = new ArrayList<>();
        Pipeline pipeline = client.pipeline((index, result) -> reported.add((Long) result.value()));

        IntStream.range(0, KEYS).forEach(i -> pipeline.add(Strings.increment("counter-" + i % 10)));
        pipeline.run();

        assertThat(reported).hasSize(KEYS).startsWith(1L, 1L).endsWith(30L, 30L);
    }

    @Test
    void commandWithKeysOfSeveralSlotsIsRefusedBeforeItIsSent() {
        Command<Long> command = Keys.delete("a", "b");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.call(command))
                .withMessageContaining("DEL");
        assertThatIllegalArgumentException().isThrownBy(() -> client.send(command));
        assertThatIllegalArgumentException().isThrownBy(() -> client.pipeline().add(command));
        assertThat(client.counts().submitted()).isEqualTo(3);
    }

    @Test
    void keysWithOneHashTagMayBeUsedTogether() {
        client.call(Strings.set("{u}:a", "1"));
        client.call(Strings.set("{u}:b", "2"));

        assertThat(client.call(Keys.delete("{u}:a", "{u}:b"))).isEqualTo(2);
    }

    @Test
    void transactionRunsOnTheNodeOfItsKeys() {
        Transaction transaction = client.transaction();
        Result<Long> first = transaction.add(Strings.increment("{t}:1"));
        Result<Long> second = transaction.add(Strings.increment("{t}:2"));

        Transaction.Ending ending = transaction.run();

        assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
        assertThat(List.of(first.value(), second.value())).containsExactly(1L, 1L);
    }

    @Test
    void transactionWithKeysOfSeveralSlotsIsRefused() {
        Transaction transaction = client.transaction();
        transaction.add(Strings.increment("a"));
        transaction.add(Strings.increment("b"));

        assertThatIllegalArgumentException().isThrownBy(transaction::run).withMessageContaining("hash slot");
    }

    @Test
    void scriptRunsOnTheNodeOfItsKeys() {
        Script script = Script.of("return redis.call('incr', KEYS[1])");

        for (int i = 0; i < 20; i++) {
            assertThat(client.call(Scripts.run(script, List.of("script-" + i), List.of())))
                    .isEqualTo(new Reply.IntegerReply(1));
        }
    }

    @Test
    void blockedCommandRunsOnTheNodeOfItsKey() {
        client.call(Lists.pushRight("queue", "job"));

        assertThat(client.call(Command.of("BLPOP", "queue", "1").blockingFor(Duration.ofSeconds(1))))
                .isInstanceOf(Reply.ArrayReply.class);
    }

    @Test
    void borrowedConnectionWatchesTheKeysOfItsNode() {
        try (DedicatedConnection connection = client.borrow("{stock}:7")) {
            connection.call(Transactions.watch("{stock}:7"));
            client.call(Strings.set("{stock}:7", "1"));
            Transaction transaction = connection.transaction();
            transaction.add(Strings.set("{stock}:7", "2"));

            assertThat(transaction.run()).isEqualTo(Transaction.Ending.CONFLICT);
        }
    }

    @Test
    void scanVisitsEachKeyOfEachPrimary() {
        IntStream.range(0, KEYS).forEach(i -> client.call(Strings.set("scan-" + i, "")));
        Set<String> found = new HashSet<>();
        String cursor = ScanPage.START;

        do {
            ScanPage<List<String>> page = client.call(Keys.scan(cursor, ScanOptions.DEFAULT));
            found.addAll(page.found());
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));

        assertThat(found).hasSize(KEYS);
    }

    @Test
    void messagesOfAllNodesReachASubscription() {
        try (Subscription subscription = client.subscribe(SubscribeOptions.of(Topic.channel("news")))) {
            for (EmbeddedRedis node : cluster.nodes()) {
                try (RedisClient publisher = RedisClient.connect(WatchedClients.uri(node))) {
                    publisher.call(PubSub.publish("news", "from " + node.port()));
                }
            }

            List<String> texts = cluster.nodes().stream()
                    .map(node -> subscription.poll(Duration.ofSeconds(20)))
                    .map(message -> message.orElseThrow().text())
                    .toList();
            assertThat(texts)
                    .containsExactlyInAnyOrderElementsOf(cluster.nodes().stream()
                            .map(node -> "from " + node.port())
                            .toList());
        }
    }

    @Test
    void trackingReportsTheChangedKeysOfEachNode() {
        try (Tracking tracking = client.track(TrackingOptions.prefixes("tracked", "near"))) {
            IntStream.range(0, KEYS).forEach(i -> client.call(Strings.set("tracked-" + i, "")));
            Set<String> changed = new HashSet<>();

            while (changed.size() < KEYS) {
                Invalidation next = tracking.poll(Duration.ofSeconds(20)).orElseThrow();
                changed.addAll(((Invalidation.ChangedKeys) next).keys());
            }

            assertThat(changed).contains("tracked-0").hasSize(KEYS);
            assertThat(tracking.isUpToDate()).isTrue();
        }
    }

    @Test
    void commandsFollowASlotThatHasMoved() {
        client.call(Strings.set("moving", "1"));
        int slot = KeySlot.of("moving");
        EmbeddedRedis target = otherPrimary(slot);

        cluster.moveSlot(slot, target);

        assertThat(client.call(Strings.get("moving"))).contains("1");
        assertThat(client.call(Command.of("BLPOP", "{moving}:list", "0.001").blockingFor(Duration.ofMillis(1))))
                .isEqualTo(Reply.Null.NULL);
        assertThat(client.counts().error()).isZero();
    }

    @Test
    void commandsAskTheTargetForKeysThatHaveMovedAlready() {
        String present = "{half}:present";
        client.call(Strings.set(present, "1"));
        int slot = KeySlot.of(present);
        cluster.beginMove(slot, otherPrimary(slot));

        client.call(Strings.set("{half}:new", "2"));

        assertThat(client.call(Strings.get("{half}:new"))).contains("2");
        assertThat(client.call(Strings.get(present))).contains("1");
        CompletableFuture<List<Optional<String>>> both = client.send(Strings.getAll("{half}:new", present));
        Eventually.await("the target has answered TRYAGAIN", () -> retries() > 0);
        cluster.finishMove(slot);
        assertThat(both.join()).containsExactly(Optional.of("2"), Optional.of("1"));
        assertThat(client.counts().error()).isZero();
    }

    @Test
    void transactionFollowsASlotThatMoves() {
        int slot = KeySlot.of("{tm}");
        cluster.beginMove(slot, otherPrimary(slot));

        Transaction asked = client.transaction();
        Result<Long> first = asked.add(Strings.increment("{tm}:1"));
        asked.run();
        cluster.finishMove(slot);
        Transaction moved = client.transaction();
        Result<Long> second = moved.add(Strings.increment("{tm}:1"));
        moved.run();

        assertThat(List.of(first.value(), second.value())).containsExactly(1L, 2L);
    }

    private long retries() {
        return client.stats().connections().stream()
                .mapToLong(ConnectionStats::retries)
                .sum();
    }

    private static EmbeddedRedis otherPrimary(int slot) {
        EmbeddedRedis owner = cluster.primaryOf(slot);
        return cluster.nodes().stream()
                .filter(node -> !node.equals(owner))
                .findFirst()
                .orElseThrow();
    }
}
