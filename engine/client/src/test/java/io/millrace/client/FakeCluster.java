// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ReceivedCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * Fake nodes of a cluster, with the numbers 0, 1, ... All nodes name the same owners of the slots. A test defines how each
 * node answers other commands; the default answer is {@code +OK}.
 */
final class FakeCluster implements AutoCloseable {

    /** In place of the number of a node: some slots have no node. */
    static final int NO_NODE = -1;

    private static final String NO_SLOTS = "*0\r\n";

    private final List<FakeRedis> nodes = new ArrayList<>();
    private final AtomicReferenceArray<Handler> handlers;
    private volatile String slots = NO_SLOTS;

    /** What a node says about the cluster in place of the answer of all nodes; null without a difference. */
    private final AtomicReferenceArray<Opinion> opinions;

    /**
     * What a node says about the cluster.
     *
     * @param isDown whether the node says that it does not reach the cluster
     * @param slots reply to {@code CLUSTER SLOTS}
     */
    private record Opinion(boolean isDown, String slots) {}

    private FakeCluster(int count) {
        handlers = new AtomicReferenceArray<>(count);
        opinions = new AtomicReferenceArray<>(count);
    }

    /** Starts {@code count} nodes. Each has the same number of slots, in the order of the nodes. */
    static FakeCluster start(int count) {
        FakeCluster cluster = new FakeCluster(count);
        for (int i = 0; i < count; i++) {
            int node = i;
            cluster.answer(node, command -> Answer.reply("+OK\r\n"));
            Handler others = command -> command.name().equals("CLUSTER")
                    ? Answer.reply(cluster.answerTo(command, node))
                    : cluster.handlers.get(node).answer(command);
            cluster.nodes.add(FakeRedis.start(Handler.afterHandshake(others)));
        }
        cluster.assign(IntStream.range(0, count).toArray());
        return cluster;
    }

    private String answerTo(ReceivedCommand command, int node) {
        Opinion own = opinions.get(node);
        if (command.line().equals("CLUSTER INFO")) {
            return own != null && own.isDown ? "$18\r\ncluster_state:fail\r\n" : "$16\r\ncluster_state:ok\r\n";
        }
        return own == null ? slots : own.slots;
    }

    /** From now on, a node says that it knows no slots, as a node that has left its cluster. */
    void forgetSlots(int node) {
        opinions.set(node, new Opinion(false, NO_SLOTS));
    }

    /** From now on, a node says that it does not reach the cluster, and names the present owners of the slots. */
    void cutOff(int node) {
        opinions.set(node, new Opinion(true, slots));
    }

    /** From now on, a node names the present owners of the slots. */
    void keepOldMap(int node) {
        opinions.set(node, new Opinion(false, slots));
    }

    /** Number of questions for the slots that a node has received. */
    long questions(int node) {
        return node(node).commands().stream()
                .filter(command -> command.line().equals("CLUSTER SLOTS"))
                .count();
    }

    /** Divides the slots into equal parts. The n-th part belongs to the n-th of {@code owners}. */
    void assign(int... owners) {
        StringBuilder map = new StringBuilder();
        int parts = 0;
        for (int i = 0; i < owners.length; i++) {
            if (owners[i] != NO_NODE) {
                parts++;
                int first = KeySlot.COUNT * i / owners.length;
                map.append(range(first, KeySlot.COUNT * (i + 1) / owners.length - 1, node(owners[i])));
            }
        }
        slots = "*" + parts + "\r\n" + map;
    }

    /** The first half of the slots belongs to node 0, the second half to {@code other}. */
    void assignSecondHalfTo(FakeRedis other) {
        int half = KeySlot.COUNT / 2;
        slots = "*2\r\n" + range(0, half - 1, node(0)) + range(half, KeySlot.COUNT - 1, other);
    }

    private static String range(int first, int last, FakeRedis owner) {
        return "*3\r\n:" + first + "\r\n:" + last + "\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + owner.port() + "\r\n";
    }

    /** Defines the answers of a node to all commands except the handshake and {@code CLUSTER SLOTS}. */
    void answer(int node, Handler handler) {
        handlers.set(node, handler);
    }

    FakeRedis node(int number) {
        return nodes.get(number);
    }

    /** The URI of the cluster, with the address of the first node. */
    RedisUri uri() {
        return RedisUri.cluster(List.of(address(0)));
    }

    RedisUri.Tcp address(int node) {
        return new RedisUri.Tcp("127.0.0.1", node(node).port());
    }

    /** The answer {@code MOVED} or {@code ASK} that sends a key to a node. */
    Answer redirect(String kind, String key, int node) {
        return redirectToPort(kind, key, node(node).port());
    }

    static Answer redirectToPort(String kind, String key, int port) {
        return Answer.reply("-" + kind + " " + KeySlot.of(key) + " 127.0.0.1:" + port + "\r\n");
    }

    /** The commands that a node has received, without those of the handshake and without {@code CLUSTER SLOTS}. */
    List<String> lines(int node) {
        return node(node).commands().stream()
                .filter(command ->
                        !List.of("HELLO", "CLIENT", "CLUSTER", "AUTH", "SELECT").contains(command.name()))
                .map(ReceivedCommand::line)
                .toList();
    }

    @Override
    public void close() {
        nodes.forEach(FakeRedis::close);
    }
}
