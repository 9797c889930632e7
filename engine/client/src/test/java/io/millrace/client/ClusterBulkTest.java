// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a bulk writer over a cluster that loses no server. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterBulkTest {

    private static EmbeddedCluster cluster;

    private final BulkRecorder recorder = new BulkRecorder();
    private RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start();
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(
                WatchedClients.options(RedisUri.parse(cluster.uri())).build());
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    private BulkWriter open() {
        return client.bulkWriter(BulkOptions.DEFAULT, recorder);
    }

    /** A primary that does not own {@code slot}. */
    private static EmbeddedRedis otherPrimary(int slot) {
        EmbeddedRedis owner = cluster.primaryOf(slot);
        return IntStream.of(0, KeySlot.COUNT / 2, KeySlot.COUNT - 1)
                .mapToObj(cluster::primaryOf)
                .filter(primary -> !primary.equals(owner))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> numbers(int count) {
        return LongStream.range(0, count).mapToObj(Long::toString).toList();
    }

    @Test
    void commandsOfAllNodesAndCommandsWithoutKeyHaveOneOutcome() {
        try (BulkWriter writer = open()) {
            for (int i = 0; i < 20_000; i++) {
                writer.begin(Strings.SET).arg("many:" + i).arg(i).end(i);
            }
            writer.begin(Server.PING).end(20_000);
            writer.finish();

            assertThat(recorder.outcomes).hasSize(20_001);
            assertThat(recorder.count(Outcome.Ok.class)).isEqualTo(20_001);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(20_001, 20_001, 0, 0, 0, 0, 0));
            assertThat(client.counts()).isEqualTo(writer.counts());
            assertThat(writer.traffic().bytesSent()).isGreaterThan(20_000L * 30);
        }
    }

    @Test
    void eachKeyKeepsItsOrderWhileItsSlotMoves() {
        int keys = 6;
        List<Integer> slots = IntStream.range(0, keys)
                .map(i -> KeySlot.of("list:" + i))
                .boxed()
                .toList();
        CompletableFuture<Void> moves = CompletableFuture.runAsync(() -> {
            for (int slot : slots) {
                cluster.moveSlot(slot, otherPrimary(slot));
            }
        });
        int written = 0;
        try (BulkWriter writer = open()) {
            while (!moves.isDone()) {
                for (int key = 0; key < keys; key++) {
                    writer.begin(Lists.RPUSH).arg("list:" + key).arg(written).end((long) written * keys + key);
                }
                written++;
            }
            writer.finish();
            moves.join();

            long commands = (long) written * keys;
            assertThat(writer.counts()).isEqualTo(new CommandCounts(commands, commands, 0, 0, 0, 0, 0));
            assertThat(client.counts()).isEqualTo(writer.counts());
            assertThat(writer.nodes()).anyMatch(node -> node.redirected() > 0);
            for (int key = 0; key < keys; key++) {
                writer.begin(Lists.LRANGE).arg("list:" + key).arg(0).arg(-1).end(-1 - key);
            }
            writer.finish();
        }
        for (int key = 0; key < keys; key++) {
            assertThat(recorder.texts(-1 - key)).isEqualTo(numbers(written));
        }
    }

    @Test
    void keysOfHalfMovedSlotKeepTheirOrder() {
        int slot = KeySlot.of("half");
        int keys = 20;
        int rounds = 200;
        try (BulkWriter writer = open()) {
            for (int key = 0; key < keys / 2; key++) {
                writer.begin(Lists.RPUSH).arg("{half}:" + key).arg(0).end(key);
            }
            writer.finish();
            cluster.beginMove(slot, otherPrimary(slot));
            cluster.moveKeys(slot, keys / 4);

            for (int round = 1; round < rounds; round++) {
                for (int key = 0; key < keys; key++) {
                    writer.begin(Lists.RPUSH).arg("{half}:" + key).arg(round).end((long) round * keys + key);
                }
            }
            writer.finish();

            cluster.finishMove(slot);
            for (int key = 0; key < keys; key++) {
                writer.begin(Lists.LRANGE).arg("{half}:" + key).arg(0).arg(-1).end(-1 - key);
            }
            writer.finish();
            assertThat(recorder.count(Outcome.Ok.class)).isEqualTo(recorder.outcomes.size());
        }
        for (int key = 0; key < keys; key++) {
            int first = key < keys / 2 ? 0 : 1;
            assertThat(recorder.texts(-1 - key)).isEqualTo(numbers(rounds).subList(first, rounds));
        }
    }

    @Test
    void commandWithKeysOnBothSidesOfMoveWaitsForTheEndOfTheMove() {
        int slot = KeySlot.of("both");
        try (BulkWriter writer = open()) {
            writer.begin(Strings.MSET)
                    .arg("{both}a")
                    .arg(1)
                    .arg("{both}b")
                    .arg(2)
                    .end(0);
            writer.finish();
            cluster.beginMove(slot, otherPrimary(slot));
            cluster.moveKeys(slot, 1);

            writer.begin(Strings.MGET).arg("{both}a").arg("{both}b").end(1);
            writer.begin(Strings.SET).arg("{both}a").arg(3).end(2);
            CompletableFuture<Void> end = CompletableFuture.runAsync(
                    () -> cluster.finishMove(slot), CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
            writer.finish();
            end.join();

            assertThat(recorder.texts(1)).last().isEqualTo("2");
            assertThat(recorder.count(Outcome.Ok.class)).isEqualTo(3);
        }
    }

    @Test
    void fusedCommandOfHalfMovedSlotIsSentAgainAsSingleCommands() {
        int slot = KeySlot.of("fused");
        int keys = 40;
        try (BulkWriter writer = open()) {
            setAll(writer, keys, 0);
            writer.finish();
            FusionCounts before = writer.fusion();
            cluster.beginMove(slot, otherPrimary(slot));
            cluster.moveKeys(slot, keys / 2);

            setAll(writer, keys, 1);
            writer.finish();

            assertThat(before.commands()).isGreaterThan(2);
            assertThat(writer.fusion().commands()).isGreaterThan(before.commands());
            assertThat(recorder.count(Outcome.Ok.class)).isEqualTo(2L * keys);
            assertThat(client.counts()).isEqualTo(new CommandCounts(2L * keys, 2L * keys, 0, 0, 0, 0, 0));
            cluster.finishMove(slot);
            assertThat(values(writer, keys)).containsOnly("1").hasSize(keys);
        }
    }

    @Test
    void lastOfTwoCommandsForAKeyOfAHalfMovedSlotWritesItsValue() {
        int slot = KeySlot.of("fused");
        int keys = 40;
        try (BulkWriter writer = open()) {
            setAll(writer, keys, 0);
            writer.finish();
            cluster.beginMove(slot, otherPrimary(slot));
            cluster.moveKeys(slot, keys / 2);

            setAll(writer, keys, 1);
            for (int key = 0; key < keys; key++) {
                // The node that still has the key executes this command before it receives the refused ones again.
                writer.begin(Strings.SETRANGE)
                        .arg("{fused}" + key)
                        .arg(0)
                        .arg(2)
                        .end(2L * keys + key);
            }
            writer.finish();

            cluster.finishMove(slot);
            // A refused command keeps its error if a later command of its key was executed.
            assertThat(writer.counts().ok()).isGreaterThanOrEqualTo(2L * keys);
            assertThat(writer.counts().ok() + writer.counts().error()).isEqualTo(3L * keys);
            for (long tag = 2L * keys; tag < 3L * keys; tag++) {
                assertThat(recorder.outcomes.get(tag)).as("%d", tag).isInstanceOf(Outcome.Ok.class);
            }
            assertThat(values(writer, keys)).containsOnly("2").hasSize(keys);
        }
    }

    /** Sets all keys with the tag {@code fused}. The tag of each command is unique. */
    private static void setAll(BulkWriter writer, int keys, int value) {
        for (int key = 0; key < keys; key++) {
            writer.begin(Strings.SET).arg("{fused}" + key).arg(value).end((long) value * keys + key);
        }
    }

    private List<String> values(BulkWriter writer, int keys) {
        for (int key = 0; key < keys; key++) {
            writer.begin(Strings.GETRANGE).arg("{fused}" + key).arg(0).arg(-1).end(-1 - key);
        }
        writer.finish();
        return IntStream.range(0, keys).mapToObj(key -> recorder.text(-1 - key)).toList();
    }

    @Test
    void commandWhoseSlotMovesTooLongEndsWithItsLastAnswer() {
        int slot = KeySlot.of("long");
        BulkOptions options = new BulkOptions(16, 1 << 20, Duration.ofSeconds(1));
        try (BulkWriter writer = client.bulkWriter(options, recorder)) {
            writer.begin(Strings.MSET)
                    .arg("{long}a")
                    .arg(1)
                    .arg("{long}b")
                    .arg(2)
                    .end(0);
            writer.finish();
            cluster.beginMove(slot, otherPrimary(slot));
            cluster.moveKeys(slot, 1);

            writer.begin(Strings.MGET).arg("{long}a").arg("{long}b").end(1);
            writer.begin(Strings.SET).arg("other").arg("v").end(2);
            writer.finish();

            assertThat(recorder.outcomes.get(1L))
                    .isInstanceOfSatisfying(
                            Outcome.Failed.class,
                            failed -> assertThat(failed.error().code()).isEqualTo("TRYAGAIN"));
            assertThat(recorder.outcomes.get(2L)).isEqualTo(new Outcome.Ok(Reply.OK));
            assertThat(writer.counts()).isEqualTo(new CommandCounts(3, 2, 1, 0, 0, 0, 0));
            assertThat(client.counts()).isEqualTo(writer.counts());
            cluster.finishMove(slot);
        }
    }

    @Test
    void fusedCommandsHaveKeysOfOneSlot() {
        try (BulkWriter writer = open()) {
            for (int i = 0; i < 1_000; i++) {
                writer.begin(Strings.SET)
                        .arg("{tag" + i / 100 + "}" + i)
                        .arg("v")
                        .end(i);
            }
            for (int i = 0; i < 1_000; i++) {
                writer.begin(Strings.SET).arg("no-tag:" + i).arg("v").end(1_000 + i);
            }
            writer.finish();

            assertThat(recorder.count(Outcome.Ok.class)).isEqualTo(2_000);
            assertThat(writer.fusion().commands()).isBetween(500L, 1_100L);
        }
    }

    @Test
    void commandWithKeysOfSeveralSlotsIsRefused() {
        try (BulkWriter writer = open()) {
            writer.begin(Keys.DEL).arg("{a}1").arg("{a}2").end(0);

            writer.begin(Keys.DEL).arg("{a}1").arg("{b}2").arg("{a}3");
            assertThatThrownBy(() -> writer.end(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("DEL has keys of 2 hash slots: hash slot " + KeySlot.of("a")
                            + " (arguments 0, 2), hash slot " + KeySlot.of("b") + " (argument 1)");

            writer.finish();
            assertThat(recorder.outcomes.keySet()).containsExactly(0L);
            assertThat(writer.counts().submitted()).isEqualTo(1);
        }
    }

    @Test
    void listenerThatThrowsStillReceivesEachOutcomeOnce() {
        List<Long> tags = new ArrayList<>();
        List<Throwable> thrown = new ArrayList<>();
        BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {
            tags.add(tag);
            if (tag % 100 == 0) {
                throw new IllegalStateException("listener of " + tag);
            }
        });
        for (int i = 0; i < 1_000; i++) {
            writer.begin(Strings.SET).arg("throws:" + i).arg("v");
            int tag = i;
            keepFailure(() -> writer.end(tag), thrown);
        }

        keepFailure(writer::finish, thrown);
        writer.finish();
        writer.close();

        assertThat(tags)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 1_000).boxed().toList());
        assertThat(thrown.stream().mapToInt(e -> 1 + e.getSuppressed().length).sum())
                .isEqualTo(10);
    }

    private static void keepFailure(Runnable action, List<Throwable> failures) {
        try {
            action.run();
        } catch (IllegalStateException e) {
            failures.add(e);
        }
    }

    @Test
    void listenerMustNotUseTheWriter() {
        BulkWriter[] writer = new BulkWriter[1];
        writer[0] = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> writer[0].flush());
        writer[0].begin(Strings.GET).arg("k").end(0);

        assertThatThrownBy(() -> writer[0].finish())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a listener must not use the writer that calls it");
        writer[0].close();
    }

    @Test
    void abortedWriterLosesItsCommands() {
        try (BulkWriter writer = open()) {
            writer.begin(Strings.SET).arg("aborted").arg("v").end(0);
            writer.abort();
            writer.begin(Strings.SET).arg("aborted").arg("v").end(1);
            writer.finish();

            assertThat(writer.isOpen()).isFalse();
            assertThat(recorder.outcomes.get(1L)).isEqualTo(new Outcome.Lost(false, "aborted by this client"));
            assertThat(recorder.outcomes).hasSize(2);
            assertThat(client.counts()).isEqualTo(writer.counts());
        }
    }
}
