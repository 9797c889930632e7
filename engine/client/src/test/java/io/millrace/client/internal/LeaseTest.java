// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.Server;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class LeaseTest {

    /** The reader shows an outcome an instant before it says that nothing is owed; a quick borrower comes in between. */
    @Test
    void aLeaseThatIsClosedTheInstantItsReplyIsThereKeepsItsConnection() {
        long limit = Duration.ofSeconds(20).toNanos();
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                Engine engine = new Engine(
                        ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connections(1)
                                .build(),
                        Surroundings.SYSTEM)) {
            // On a virtual thread, which does not read for itself.
            CompletableFuture.runAsync(() -> borrowAgainAndAgain(engine, limit), Thread::startVirtualThread)
                    .join();

            assertThat(server.acceptedConnections()).isEqualTo(2);
        }
    }

    private static void borrowAgainAndAgain(Engine engine, long limit) {
        for (int i = 0; i < 3_000; i++) {
            Lease lease = (Lease) engine.borrow();
            long now = lease.now();
            PendingCall<String> call = new PendingCall<>(Server.ping(), now, now + limit, null);
            lease.submit(call);
            while (call.outcome() == null) {
                Thread.onSpinWait();
            }
            lease.close();
        }
    }
}
