// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Polling;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which node of a cluster the client believes, and when the client lets a node go. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterMapTest {

    /** A key of the first of two nodes: its slot is 3,300. */
    private static final String FIRST = "b";

    /** A key of the second of two nodes: its slot is 15,495. */
    private static final String SECOND = "a";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static Command<String> get(String key) {
        return Command.of("GET", key).as(Replies::text);
    }

    private static void await(BooleanSupplier condition) {
        assertThat(Polling.until(condition, Duration.ofSeconds(60))).isTrue();
    }

    @Test
    void nodeThatHasLeftItsClusterDoesNotTakeTheOtherNodesAway() {
        try (FakeCluster cluster = FakeCluster.start(2)) {
            cluster.assign(1);
            try (RedisClient client = clients.connect(cluster.uri())) {
                cluster.forgetSlots(0);
                AtomicBoolean redirected = new AtomicBoolean();
                cluster.answer(
                        1,
                        command -> redirected.getAndSet(true)
                                ? Answer.reply("+OK\r\n")
                                : cluster.redirect("MOVED", FIRST, 1));

                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                await(() -> cluster.questions(1) > 0);

                assertThat(cluster.questions(0)).isGreaterThan(1);
                assertThat(client.call(get(SECOND))).isEqualTo("OK");
                assertThat(client.isOpen()).isTrue();
            }
        }
    }

    @Test
    void nodeWithoutContactToItsClusterIsNotBelieved() {
        try (FakeCluster cluster = FakeCluster.start(2)) {
            cluster.assign(0);
            try (RedisClient client = clients.connect(cluster.uri())) {
                cluster.cutOff(0);
                cluster.assign(0, 1);
                cluster.answer(0, command -> Answer.reply("-CLUSTERDOWN The cluster is down\r\n"));
                CompletableFuture<String> reply = client.send(get(SECOND));
                await(() -> cluster.questions(0) > 1);
                assertThat(reply).isNotDone();

                // Node 1 becomes known by a redirect.
                cluster.answer(0, command -> cluster.redirect("MOVED", SECOND, 1));

                assertThat(reply.join()).isEqualTo("OK");
                cluster.answer(0, command -> Answer.reply("-CLUSTERDOWN The cluster is down\r\n"));
                int before = cluster.lines(0).size();
                await(() -> cluster.questions(1) > 0);
                assertThat(client.call(get(SECOND))).isEqualTo("OK");
                assertThat(cluster.lines(0)).hasSize(before);
            }
        }
    }

    @Test
    void nodeThatDoesNotKnowAMoveYetDoesNotTakeTheMoveBack() {
        try (FakeCluster cluster = FakeCluster.start(2)) {
            cluster.assign(0, 1);
            try (RedisClient client = clients.connect(cluster.uri())) {
                cluster.keepOldMap(0);
                AtomicInteger redirects = new AtomicInteger();
                cluster.answer(0, command -> {
                    redirects.getAndIncrement();
                    return cluster.redirect("MOVED", FIRST, 1);
                });
                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                await(() -> cluster.questions(0) > 1);
                long asked = cluster.questions(0);

                // The answer of node 0 is in use when a later question has begun.
                cluster.answer(
                        1,
                        command -> command.line().endsWith(SECOND)
                                ? cluster.redirect("MOVED", SECOND, 1)
                                : Answer.reply("+OK\r\n"));
                client.send(get(SECOND)).exceptionally(failure -> "");
                await(() -> cluster.questions(0) > asked);

                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                assertThat(redirects).hasValueLessThanOrEqualTo(2);
            }
        }
    }

    @Test
    void healthyNodeThatLeavesAnswersItsCommandsBefore() {
        try (FakeCluster cluster = FakeCluster.start(2)) {
            cluster.assign(0, 1);
            CountDownLatch released = new CountDownLatch(1);
            cluster.answer(
                    0,
                    command -> command.name().equals("INCR")
                            ? new Answer.Held(released, Answer.reply("+late\r\n"))
                            : cluster.redirect("MOVED", FIRST, 1));
            try (RedisClient client = clients.connect(cluster.uri())) {
                CompletableFuture<String> held =
                        client.send(Command.of("INCR", FIRST).as(Replies::text));
                await(() -> cluster.lines(0).contains("INCR " + FIRST));
                cluster.assign(1);
                AtomicBoolean redirected = new AtomicBoolean();
                cluster.answer(
                        1,
                        command -> redirected.getAndSet(true)
                                ? Answer.reply("+OK\r\n")
                                : cluster.redirect("MOVED", SECOND, 1));
                // The second question follows after the answer to the first one was used.
                for (int i = 0; i < 2; i++) {
                    long asked = cluster.questions(0);
                    redirected.set(false);
                    assertThat(client.call(get(SECOND))).isEqualTo("OK");
                    await(() -> cluster.questions(0) > asked);
                }

                released.countDown();

                assertThat(held.join()).isEqualTo("late");
                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                assertThat(client.counts().lost()).isZero();
            }
        }
    }

    @Test
    void commandsOfASlotWithoutNodeDoNotWaitOneAfterTheOther() {
        try (FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assign(0, FakeCluster.NO_NODE);
            try (RedisClient client = clients.connect(cluster.uri())) {
                for (int i = 0; i < 1_000; i++) {
                    CompletableFuture<String> reply = client.send(get(SECOND));
                    assertThat(reply).isCompletedExceptionally();
                }

                assertThat(cluster.questions(0)).isLessThan(500);
            }
        }
    }

    @Test
    void nodeThatRefusesTheLoginIsTriedAgainAfterAPause() {
        try (FakeRedis guarded = FakeRedis.start(
                        command -> Answer.reply("-WRONGPASS invalid username-password pair or user is disabled.\r\n"));
                FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assignSecondHalfTo(guarded);
            Duration pause = Duration.ofMinutes(1);
            try (RedisClient client = clients.connect(cluster.uri(), options -> options.reconnectDelay(pause, pause))) {
                int before = guarded.acceptedConnections();

                for (int i = 0; i < 20; i++) {
                    long asked = cluster.questions(0);
                    assertThatThrownBy(() -> client.call(get(SECOND)))
                            .isInstanceOf(ConnectionLostException.class)
                            .hasMessageContaining("WRONGPASS");
                    await(() -> cluster.questions(0) > asked);
                }

                assertThat(guarded.acceptedConnections()).isEqualTo(before);
            }
        }
    }
}
