// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sends commands of slots that move, in every {@link RedirectedMode}, with {@code ASK} and with {@code MOVED}. The node that
 * receives the redirected commands ends the connection. Each trial ends the connection after a different number of bytes: bytes
 * of the redirected commands, or bytes of their replies.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterCutTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    /** The timeout of the commands if a connection is silent. A trial waits this long. */
    private static final Duration SHORT = Duration.ofMillis(300);

    /** Number of clients that run at the same time. A client mostly waits for threads to start and to end. */
    private static final int THREADS = 6;

    /** Some tests cut the connection only after each of this number of bytes, because a trial takes about 15 ms. */
    private static final int STEP = Integer.getInteger("millrace.cutStep", 7);

    /** Tags of two letters. Their slots belong to the first of two nodes. */
    private static final List<String> TAGS = IntStream.range(0, 26 * 26)
            .mapToObj(i -> Character.toString('a' + i / 26) + Character.toString('a' + i % 26))
            .filter(tag -> KeySlot.of(tag) < KeySlot.COUNT / 2)
            .toList();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** The trials of one client. */
    private record Group(MovingSlot.Kind kind, RedirectedMode mode, boolean fused, boolean idempotent) {

        List<ClusterCutTrial> trials(LongFunction<Cut> cutAfter, int step) {
            int bytes = new ClusterCutTrial(kind, mode, fused, idempotent, cutAfter.apply(0)).bytes();
            return LongStream.iterate(0, i -> i < bytes, i -> i + step)
                    .mapToObj(i -> new ClusterCutTrial(kind, mode, fused, idempotent, cutAfter.apply(i)))
                    .toList();
        }
    }

    @Test
    void outcomesAreCorrectAfterACutOfRedirectedCommands() throws Exception {
        runAll(group -> List.of(group.trials(bytes -> Cut.requests(bytes, ConnectionEnd.CLOSE), STEP)), LONG);
    }

    @Test
    @Tag("soak")
    void outcomesAreCorrectAfterAResetAtAnyByteOfRedirectedCommands() throws Exception {
        runAll(group -> List.of(group.trials(bytes -> Cut.requests(bytes, ConnectionEnd.RESET), 1)), LONG);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void outcomesAreCorrectAfterACutOfTheRepliesToRedirectedCommands(ConnectionEnd connectionEnd) throws Exception {
        int step = connectionEnd == ConnectionEnd.CLOSE ? 1 : STEP;
        runAll(group -> List.of(group.trials(bytes -> Cut.replies(bytes, connectionEnd), step)), LONG);
    }

    /** After a trial, the client cannot use its connection. So each trial has a client of its own. */
    @Test
    @Tag("soak")
    void outcomesAreCorrectAfterSilenceAtAnyByteOfTheRepliesToRedirectedCommands() throws Exception {
        runAll(
                group -> group.trials(bytes -> Cut.replies(bytes, ConnectionEnd.SILENCE), 1).stream()
                        .map(List::of)
                        .toList(),
                SHORT);
    }

    /** Runs the trials of each group. A client runs the trials of one list. */
    private static void runAll(Function<Group, List<List<ClusterCutTrial>>> trials, Duration timeout) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> running = new ArrayList<>();
            for (Group group : groups()) {
                for (List<ClusterCutTrial> ofClient : trials.apply(group)) {
                    running.add(executor.submit(() -> run(group, ofClient, timeout)));
                }
            }
            try {
                for (Future<?> one : running) {
                    one.get();
                }
            } finally {
                executor.shutdownNow();
            }
        }
    }

    private static List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        for (MovingSlot.Kind kind : MovingSlot.Kind.values()) {
            for (RedirectedMode mode : RedirectedMode.values()) {
                groups.add(new Group(kind, mode, false, false));
            }
            for (RedirectedMode mode : List.of(RedirectedMode.CALL, RedirectedMode.SEND, RedirectedMode.PIPELINE)) {
                groups.add(new Group(kind, mode, false, true));
            }
            groups.add(new Group(kind, RedirectedMode.BULK, true, false));
        }
        return groups;
    }

    private static void run(Group group, List<ClusterCutTrial> trials, Duration timeout) {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = RedisClient.connect(options(cluster, group, timeout))) {
            MovingSlot slot = new MovingSlot(cluster, group.kind);
            for (int i = 0; i < trials.size(); i++) {
                slot.begin(TAGS.get(i));
                try {
                    trials.get(i).run(client, cluster, slot, timeout);
                } catch (Throwable e) {
                    throw new AssertionError(trials.get(i) + " failed; commands of node 1: " + cluster.lines(1), e);
                }
            }
        }
    }

    private static ClientOptions options(FakeCluster cluster, Group group, Duration timeout) {
        return ClientOptions.builder(cluster.uri())
                .connectTimeout(LONG)
                .connections(1)
                .commandTimeout(timeout)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(10))
                .fusion(RedirectedMode.fusion(group.fused))
                .build();
    }
}
