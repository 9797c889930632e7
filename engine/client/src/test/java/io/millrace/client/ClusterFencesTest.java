// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limits of calls that wait in a fence, because their slot moves. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterFencesTest {

    /** Keys of the first of two nodes: their slots are 3,300 and 7,365. */
    private static final String FIRST = "b";

    private static final String OTHER_OF_FIRST = "c";

    /** A key of the second of two nodes: its slot is 15,495. */
    private static final String SECOND = "a";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private FaultProxy closed;
    private FakeCluster cluster;

    @BeforeEach
    void start() {
        closed = FaultProxy.inFrontOf("127.0.0.1", 1);
        closed.refuseConnections(RefusalMode.CLOSED_PORT);
        cluster = FakeCluster.start(2);
    }

    @AfterEach
    void stop() {
        cluster.close();
        closed.close();
    }

    private static Command<String> get(String key) {
        return Command.of("GET", key).as(Replies::text);
    }

    private RedisClient connect(int inFlight, Overflow overflow) {
        return clients.connect(
                cluster.uri(), options -> options.inFlight(inFlight).overflow(overflow));
    }

    /** Lets the first node redirect one key to a node that cannot be reached. */
    private void redirectToClosedPort(String key) {
        cluster.answer(
                0,
                command -> command.line().equals("GET " + key)
                        ? FakeCluster.redirectToPort("ASK", key, closed.port())
                        : Answer.reply("+OK\r\n"));
    }

    private CompletableFuture<String> sendRedirected(RedisClient client) {
        CompletableFuture<String> redirected = client.send(get(FIRST));
        Eventually.await("the command was redirected", () -> !cluster.lines(0).isEmpty());
        // The reply to a later command of the node shows that the client has read the redirect.
        Eventually.await("a later command was answered", () -> isAnswered(client));
        return redirected;
    }

    private static boolean isAnswered(RedisClient client) {
        try {
            return client.call(get(OTHER_OF_FIRST)).equals("OK");
        } catch (RefusedException e) {
            return false;
        }
    }

    private static String failure(CompletableFuture<?> future) {
        return future.isCompletedExceptionally()
                ? future.exceptionNow().getClass().getSimpleName()
                : "none";
    }

    @Test
    void redirectedCallNeedsNoPermitThatALaterCallOfItsSlotHolds() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        cluster.answer(0, command -> cluster.redirect("MOVED", FIRST, 1).heldUntil(first));
        cluster.answer(
                1,
                command -> command.line().equals("GET " + SECOND)
                        ? Answer.reply("+OK\r\n").heldUntil(second)
                        : Answer.reply("+OK\r\n"));
        try (RedisClient client = connect(1, Overflow.BLOCK)) {
            CompletableFuture<String> moved = client.send(get(FIRST));
            CompletableFuture<String> holder = client.send(get(SECOND));
            cluster.assign(1);
            first.countDown();
            Eventually.await("the client knows the new owner", () -> isSecondNodeOwnerOfFirst(client));
            CompletableFuture<String> later = new CompletableFuture<>();
            Thread caller = Thread.ofPlatform().start(() -> later.complete(client.call(get(FIRST))));
            Eventually.await(
                    "the later call waits for a permit",
                    () -> caller.getState() == Thread.State.TIMED_WAITING || caller.getState() == Thread.State.WAITING);
            second.countDown();

            assertThat(holder.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
            assertThat(moved.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
            assertThat(later.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
            caller.join();
        } finally {
            first.countDown();
            second.countDown();
        }
    }

    private boolean isSecondNodeOwnerOfFirst(RedisClient client) {
        try (DedicatedConnection connection = client.borrow(FIRST)) {
            connection.call(Command.of("ECHO", "probe"));
            return cluster.lines(1).contains("ECHO probe");
        } catch (ErrorReplyException | ConnectionLostException e) {
            return false;
        }
    }

    @Test
    void waitingCallsOfAFenceLeaveThePermitsOfTheirNodeToOtherSlots() throws Exception {
        redirectToClosedPort(FIRST);
        try (RedisClient client = connect(4, Overflow.BLOCK)) {
            CompletableFuture<String> redirected = sendRedirected(client);
            List<CompletableFuture<String>> waiting = new ArrayList<>();
            Thread sender = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20; i++) {
                    waiting.add(client.send(get(FIRST)));
                }
            });
            Eventually.await("the sender waits", () -> sender.getState() == Thread.State.TIMED_WAITING);

            for (int i = 0; i < 50; i++) {
                assertThat(client.call(get(OTHER_OF_FIRST).within(WatchedClients.SHORT_LIMIT)))
                        .isEqualTo("OK");
            }

            assertThat(waiting).hasSize(4);
            assertThat(redirected).isNotDone();
            client.close();
            sender.join();
            assertThat(waiting)
                    .hasSize(20)
                    .allSatisfy(
                            call -> assertThatThrownBy(call::join).hasCauseInstanceOf(ConnectionLostException.class));
        }
    }

    @Test
    void callsThatFindNoRoomInAFenceAreRefused() {
        redirectToClosedPort(FIRST);
        try (RedisClient client = connect(4, Overflow.REFUSE)) {
            CompletableFuture<String> redirected = sendRedirected(client);
            List<CompletableFuture<String>> waiting = new ArrayList<>();

            for (int i = 0; i < 20; i++) {
                waiting.add(client.send(get(FIRST)));
            }

            assertThat(waiting.subList(0, 4)).noneMatch(CompletableFuture::isDone);
            assertThat(waiting.subList(4, 20))
                    .extracting(ClusterFencesTest::failure)
                    .containsOnly(RefusedException.class.getSimpleName());
            assertThat(redirected).isNotDone();
            assertThat(client.call(get(OTHER_OF_FIRST))).isEqualTo("OK");
        }
    }

    @Test
    void waitingCallThatHasTimedOutMakesRoomAtOnce() {
        redirectToClosedPort(FIRST);
        try (RedisClient client = connect(1, Overflow.REFUSE)) {
            CompletableFuture<String> redirected = sendRedirected(client);
            CompletableFuture<String> brief = client.send(get(FIRST).within(Duration.ofMillis(20)));
            assertThatThrownBy(brief::join).hasCauseInstanceOf(TimedOutException.class);
            Eventually.await("the call has left the fence", () -> {
                CompletableFuture<String> next = client.send(get(FIRST).within(Duration.ofSeconds(30)));
                return !next.isDone();
            });

            assertThat(redirected).isNotDone();
        }
    }

    @Test
    void callSurvivesNodesThatRedirectToEachOtherForAMoment() {
        AtomicLong firstRedirect = new AtomicLong();
        for (int node = 0; node < 2; node++) {
            int other = 1 - node;
            cluster.answer(node, command -> {
                firstRedirect.compareAndSet(0, System.nanoTime());
                boolean settled = System.nanoTime() - firstRedirect.get() > TimeUnit.MILLISECONDS.toNanos(200);
                return settled ? Answer.reply("+OK\r\n") : cluster.redirect("MOVED", FIRST, other);
            });
        }
        try (RedisClient client = connect(16, Overflow.BLOCK)) {
            assertThat(client.call(get(FIRST))).isEqualTo("OK");
        }
    }

    @Test
    void closedClientEndsTheCallersThatWaitForRoomInAFence() throws Exception {
        redirectToClosedPort(FIRST);
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        RedisClient client = connect(1, Overflow.BLOCK);
        CompletableFuture<String> redirected = sendRedirected(client);
        Thread sender = Thread.ofPlatform().start(() -> {
            waiting.add(client.send(get(FIRST)));
            waiting.add(client.send(get(FIRST)));
            waiting.add(client.send(get(FIRST)));
        });
        Eventually.await("the sender waits", () -> sender.getState() == Thread.State.TIMED_WAITING);

        client.close();
        sender.join(WatchedClients.SHORT_LIMIT);

        assertThat(sender.isAlive()).isFalse();
        assertThat(waiting)
                .hasSize(3)
                .allSatisfy(call -> assertThatThrownBy(call::join).hasCauseInstanceOf(ConnectionLostException.class));
        assertThatThrownBy(redirected::join).hasCauseInstanceOf(ConnectionLostException.class);
    }
}
