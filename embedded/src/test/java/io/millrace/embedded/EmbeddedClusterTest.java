// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a cluster that several tests share. No test may kill a server. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedClusterTest {

    private static EmbeddedCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start();
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @Test
    void allServersServeAllSlots() {
        List<ClusterView> views = cluster.nodes().stream()
                .map(server -> ClusterNode.of(server).view().orElseThrow())
                .toList();

        assertThat(views).hasSize(6).allSatisfy(view -> {
            assertThat(view.servedSlots()).isEqualTo(16_384);
            assertThat(view.entries()).hasSize(6).allMatch(ClusterView.Entry::isReachable);
        });
        assertThat(primaries())
                .hasSize(3)
                .allSatisfy(primary -> assertThat(cluster.replicasOf(primary)).hasSize(1));
        assertThat(cluster.uri()).matches("redis-cluster://127\\.0\\.0\\.1:\\d+(,127\\.0\\.0\\.1:\\d+){5}");
    }

    @Test
    void eachKeyIsStoredByExactlyOnePrimary() throws IOException {
        List<EmbeddedRedis> primaries = primaries();

        List<String> replies = new ArrayList<>();
        for (EmbeddedRedis primary : primaries) {
            try (InlineClient inlineClient = InlineClient.connect(primary)) {
                for (int i = 0; i < 300; i++) {
                    replies.add(inlineClient.call("SET key" + i + " value"));
                }
            }
        }

        assertThat(replies).filteredOn(reply -> reply.equals("+OK")).hasSize(300);
        assertThat(replies).filteredOn(reply -> reply.startsWith("-MOVED")).hasSize(600);
    }

    @Test
    void movedSlotLosesNoKeyAndAllServersKnowItsOwner() throws IOException {
        int slot = slotOf("moved");
        EmbeddedRedis source = cluster.primaryOf(slot);
        EmbeddedRedis target = primaryOtherThan(source);
        try (InlineClient inlineClient = InlineClient.connect(source)) {
            for (int i = 0; i < 250; i++) {
                assertThat(inlineClient.call("SET {moved}" + i + " value" + i)).isEqualTo("+OK");
            }
        }

        cluster.moveSlot(slot, target);

        assertThat(cluster.primaryOf(slot)).isEqualTo(target);
        try (InlineClient inlineClient = InlineClient.connect(target)) {
            for (int i = 0; i < 250; i++) {
                assertThat(inlineClient.call("GET {moved}" + i)).startsWith("$");
                assertThat(inlineClient.readReply()).isEqualTo("value" + i);
            }
        }
        for (EmbeddedRedis other : cluster.nodes()) {
            if (!other.equals(target)) {
                assertThat(reply(other, "GET {moved}0")).isEqualTo("-MOVED " + slot + " 127.0.0.1:" + target.port());
            }
        }
        assertThat(reply(source, "CLUSTER COUNTKEYSINSLOT " + slot)).isEqualTo(":0");
    }

    @Test
    void halfMovedSlotAnswersAskAndTryAgain() throws IOException {
        int slot = slotOf("half");
        EmbeddedRedis source = cluster.primaryOf(slot);
        EmbeddedRedis target = primaryOtherThan(source);
        assertThat(reply(source, "MSET {half}a 1 {half}b 2")).isEqualTo("+OK");

        cluster.beginMove(slot, target);
        int moved = cluster.moveKeys(slot, 1);

        assertThat(moved).isEqualTo(1);
        assertThat(cluster.primaryOf(slot)).isEqualTo(source);
        assertThat(List.of(reply(source, "GET {half}a"), reply(source, "GET {half}b")))
                .containsExactlyInAnyOrder("$1", "-ASK " + slot + " 127.0.0.1:" + target.port());
        try (InlineClient inlineClient = InlineClient.connect(target)) {
            assertThat(inlineClient.call("MGET {half}a {half}b")).startsWith("-MOVED " + slot);
            assertThat(inlineClient.call("ASKING")).isEqualTo("+OK");
            assertThat(inlineClient.call("MGET {half}a {half}b")).startsWith("-TRYAGAIN");
            assertThatThrownBy(() -> cluster.beginMove(slot, target))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("a move of the slot has already begun: slot=" + slot);

            cluster.finishMove(slot);

            assertThat(inlineClient.call("MGET {half}a {half}b")).isEqualTo("*2");
        }
        assertThat(cluster.primaryOf(slot)).isEqualTo(target);
    }

    @Test
    void moveFailsIfItHasNotBegunOrItsTargetIsNoOtherPrimary() {
        EmbeddedRedis owner = cluster.primaryOf(5);
        EmbeddedRedis replica = cluster.replicasOf(primaryOtherThan(owner)).getFirst();

        assertThatThrownBy(() -> cluster.moveKeys(5, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no move of the slot has begun: slot=5");
        assertThatThrownBy(() -> cluster.moveSlot(5, owner))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the target already owns the slot: slot=5");
        assertThatThrownBy(() -> cluster.moveSlot(5, replica))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageMatching("a server of the cluster refused a command: command=CLUSTER SETSLOT, port="
                        + replica.port() + ", error=.*SETSLOT only with.*");
        assertThatThrownBy(() -> cluster.primaryOf(16_384))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slot must be 0..16383: slot=16384");
    }

    @Test
    void plannedFailoverMakesTheReplicaThePrimaryAndKeepsItsData() throws IOException {
        int slot = slotOf("planned");
        EmbeddedRedis primary = cluster.primaryOf(slot);
        EmbeddedRedis replica = cluster.replicasOf(primary).getFirst();
        assertThat(reply(primary, "SET {planned} value")).isEqualTo("+OK");

        cluster.failOver(replica);

        assertThat(cluster.primaryOf(slot)).isEqualTo(replica);
        assertThat(cluster.replicasOf(replica)).containsExactly(primary);
        assertThat(cluster.replicasOf(primary)).isEmpty();
        assertThat(reply(replica, "GET {planned}")).isEqualTo("$5");
        assertThatThrownBy(() -> cluster.failOver(replica))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the server must be a replica");
    }

    private static List<EmbeddedRedis> primaries() {
        return IntStream.of(0, ClusterView.SLOTS / 2, ClusterView.SLOTS - 1)
                .mapToObj(cluster::primaryOf)
                .distinct()
                .toList();
    }

    private static EmbeddedRedis primaryOtherThan(EmbeddedRedis primary) {
        return primaries().stream()
                .filter(other -> !other.equals(primary))
                .findFirst()
                .orElseThrow();
    }

    private static int slotOf(String tag) {
        return Integer.parseInt(ClusterNode.of(cluster.nodes().getFirst()).call("CLUSTER", "KEYSLOT", tag));
    }

    private static String reply(EmbeddedRedis server, String command) {
        return ClusterServersTest.reply(server, command);
    }
}
