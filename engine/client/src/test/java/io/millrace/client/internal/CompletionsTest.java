// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.RedisUri;
import io.millrace.client.Server;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The hand-over of answered futures, at the moments that chance hardly ever hits. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CompletionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final FakeRedis server;
    private final Engine engine;
    private final SharedConnection connection;

    CompletionsTest() {
        server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
        engine = new Engine(
                ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                        .inFlight(4)
                        .commandTimeout(PATIENCE)
                        .build(),
                Surroundings.SYSTEM);
        connection =
                new SharedConnection(engine, "test", ConnectionAccount.Kind.SHARED, new Connector(engine.options()));
    }

    @AfterEach
    void close() {
        connection.close();
        engine.close();
        server.close();
    }

    @Test
    void aReplyThatComesWithItsDeadlineGivesItsPlaceBackOnce() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();
        PendingCall<String> call = submit(future);
        future.get(10, TimeUnit.SECONDS);
        await(() -> connection.account().inFlight() == 0);

        // As the timekeeper does when it has found the call in its slot just before the reply was taken.
        connection.expire(call);
        CompletableFuture<String> next = new CompletableFuture<>();
        submit(next);

        assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo("PONG");
        await(() -> connection.account().inFlight() <= 0);
        assertThat(connection.account().inFlight()).isZero();
        assertThat(connection.account().bytesInFlight()).isZero();
    }

    @Test
    void whatBlocksInTheInstantOfItsCompletionDelaysNobodyAndKeepsNoPlace() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch unblock = new CountDownLatch(1);
        LateDependent first = new LateDependent(() -> {
            blocked.countDown();
            awaitUninterruptibly(unblock);
        });
        submit(first);
        assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();

        long before = System.nanoTime();
        CompletableFuture<String> second = new CompletableFuture<>();
        submit(second);
        String answer = second.get(10, TimeUnit.SECONDS);
        Duration took = Duration.ofNanos(System.nanoTime() - before);
        boolean placesAreBack = reached(() -> connection.account().inFlight() == 0);
        unblock.countDown();
        first.hung.get(10, TimeUnit.SECONDS);

        assertThat(answer).isEqualTo("PONG");
        assertThat(took).isLessThan(Duration.ofSeconds(1));
        assertThat(placesAreBack).isTrue();
    }

    @Test
    void aFutureThatIsDoneHasGivenItsPlaceBack() {
        for (int i = 0; i < 2_000; i++) {
            CompletableFuture<String> future = new CompletableFuture<>();
            submit(future);

            // A thread that waits in the future would be a dependent, for which the place is given back first.
            while (!future.isDone()) {
                Thread.onSpinWait();
            }

            assertThat(connection.account().inFlight()).as("call %d", i).isZero();
        }
    }

    private PendingCall<String> submit(CompletableFuture<String> future) {
        Command<String> ping = Server.ping();
        long now = engine.now();
        PendingCall<String> call =
                new PendingCall<>(ping, now, now + PATIENCE.toNanos(), new Completion<>(future, engine.completions()));
        connection.submit(call);
        return call;
    }

    private static void await(BooleanSupplier condition) {
        assertThat(reached(condition)).isTrue();
    }

    private static boolean reached(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (!condition.getAsBoolean() && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(100_000);
        }
        return condition.getAsBoolean();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A future on which something is hung right after somebody has looked whether anything hangs on it. */
    private static final class LateDependent extends CompletableFuture<String> {

        private final Runnable dependent;
        private volatile CompletableFuture<Void> hung = new CompletableFuture<>();

        private LateDependent(Runnable dependent) {
            this.dependent = dependent;
        }

        @Override
        public int getNumberOfDependents() {
            int number = super.getNumberOfDependents();
            if (number == 0) {
                hung = super.thenRun(dependent);
            }
            return number;
        }
    }
}
