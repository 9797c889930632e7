// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionStats;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
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

/** Tests how the client completes a future after the reply has arrived, in rare interleavings of threads. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FutureCompleterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final FakeRedis server;
    private final Timekeeper timekeeper = new Timekeeper(System::nanoTime);
    private final FutureCompleter futureCompleter = new FutureCompleter(timekeeper, 1_000);
    private final SharedConnection connection;

    FutureCompleterTest() {
        server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
        ClientOptions options = ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .inFlight(4)
                .commandTimeout(TIMEOUT)
                .build();
        ConnectionContext context = new ConnectionContext(
                options,
                new Login(options),
                ClockAndRandom.SYSTEM,
                timekeeper,
                new FusibleKinds.RefusedKinds(),
                push -> {},
                null,
                () -> {});
        connection = new SharedConnection(
                context,
                "test",
                ConnectionStats.Kind.SHARED,
                new Connector(options, new Login(options), System::nanoTime));
    }

    @AfterEach
    void close() {
        connection.close();
        timekeeper.close();
        server.close();
    }

    @Test
    void commandAnsweredAtItsDeadlineReturnsItsPermitOnlyOnce() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();
        PendingCall<String> call = submit(future);
        future.get(60, TimeUnit.SECONDS);
        await(() -> connection.stats().inFlight() == 0);

        // The test imitates the timekeeper. The timekeeper expires the call if it finds the call in its slot just
        // before the reader thread reads the reply.
        connection.timeouts().expire(call);
        CompletableFuture<String> next = new CompletableFuture<>();
        submit(next);

        assertThat(next.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        await(() -> connection.stats().inFlight() <= 0);
        assertThat(connection.stats().inFlight()).isZero();
        assertThat(connection.stats().bytesInFlight()).isZero();
    }

    @Test
    void callbackThatBlocksDuringCompletionDelaysNoCallerAndHoldsNoPermit() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch unblock = new CountDownLatch(1);
        LateDependent first = new LateDependent(() -> {
            blocked.countDown();
            awaitUninterruptibly(unblock);
        });
        submit(first);
        assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<String> second = new CompletableFuture<>();
        submit(second);
        // The callback of the first call is still blocked.
        String answer = second.get(60, TimeUnit.SECONDS);
        boolean permitsAreFree = reached(() -> connection.stats().inFlight() == 0);
        unblock.countDown();
        first.attached.get(60, TimeUnit.SECONDS);

        assertThat(answer).isEqualTo("PONG");
        assertThat(permitsAreFree).isTrue();
    }

    @Test
    void permitIsReturnedBeforeTheFutureIsDone() {
        for (int i = 0; i < 2_000; i++) {
            CompletableFuture<String> future = new CompletableFuture<>();
            submit(future);

            // If a future has dependents, its permit is always returned before the completion. This test checks a
            // future without dependents. So the test polls the future, because a waiting thread would be a dependent.
            while (!future.isDone()) {
                Thread.onSpinWait();
            }

            assertThat(connection.stats().inFlight()).as("call %d", i).isZero();
        }
    }

    private PendingCall<String> submit(CompletableFuture<String> future) {
        Command<String> ping = Server.ping();
        long now = connection.now();
        PendingCall<String> call =
                new PendingCall<>(ping, now, now + TIMEOUT.toNanos(), new FutureCompletion<>(future, futureCompleter));
        connection.submit(call);
        return call;
    }

    private static void await(BooleanSupplier condition) {
        assertThat(reached(condition)).isTrue();
    }

    private static boolean reached(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
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

    /**
     * A future that receives its first dependent (a callback) directly after the client has found that the future has
     * no dependents.
     */
    private static final class LateDependent extends CompletableFuture<String> {

        private final Runnable dependent;
        private volatile CompletableFuture<Void> attached = new CompletableFuture<>();

        private LateDependent(Runnable dependent) {
            this.dependent = dependent;
        }

        @Override
        public int getNumberOfDependents() {
            int number = super.getNumberOfDependents();
            if (number == 0) {
                attached = super.thenRun(dependent);
            }
            return number;
        }
    }
}
