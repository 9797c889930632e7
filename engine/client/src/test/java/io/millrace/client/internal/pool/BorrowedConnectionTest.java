// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.client.internal.Engine;
import io.millrace.client.internal.shared.PendingCall;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class BorrowedConnectionTest {

    /**
     * The reader thread first publishes the outcome of a command, and then records that the connection has no pending
     * reply. A fast borrower may close the connection between these two steps.
     */
    @Test
    void borrowedConnectionReturnedRightAfterItsReplyIsReused() {
        long limit = Duration.ofSeconds(20).toNanos();
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                Engine engine = new Engine(
                        ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .connections(1)
                                .build(),
                        ClockAndRandom.SYSTEM)) {
            // Borrows on a virtual thread, because a virtual thread does not read its own replies.
            CompletableFuture.runAsync(() -> borrowRepeatedly(engine, limit), Thread::startVirtualThread)
                    .join();

            assertThat(server.acceptedConnections()).isEqualTo(2);
        }
    }

    private static void borrowRepeatedly(Engine engine, long limit) {
        for (int i = 0; i < 3_000; i++) {
            BorrowedConnection borrowedConnection = (BorrowedConnection) engine.borrow();
            long now = borrowedConnection.now();
            PendingCall<String> call = new PendingCall<>(Server.ping(), now, now + limit, null);
            borrowedConnection.submit(call);
            while (call.outcome().isEmpty()) {
                Thread.onSpinWait();
            }
            borrowedConnection.close();
        }
    }
}
