// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests callers that are interrupted while the server temporarily refuses their commands. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class InterruptedRetryTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final AtomicBoolean refuses = new AtomicBoolean(true);

    private final FakeRedis server = FakeRedis.start(Handler.afterHandshake(
            command -> Answer.reply(refuses.get() && command.name().equals("SET") ? "-LOADING later\r\n" : "+OK\r\n")));

    @Test
    void connectionWithACommandThatWaitsForItsRetryIsNotLentAgain() {
        try (server;
                RedisClient client = clients.connect(WatchedClients.uri(server))) {
            try (DedicatedConnection borrowed = client.borrow()) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> borrowed.call(Strings.set("k", "v")))
                        .isInstanceOf(InterruptedCommandException.class);
                assertThat(Thread.interrupted()).isTrue();
                borrowed.call(Strings.append("k", "v").as(reply -> 0L));
            }
            int before = server.acceptedConnections();

            try (DedicatedConnection borrowed = client.borrow()) {
                assertThat(borrowed.isOpen()).isTrue();
                assertThat(server.acceptedConnections()).isEqualTo(before + 1);
            }
        }
    }

    private static int inFlight(RedisClient client) {
        return client.stats().connections().getFirst().inFlight();
    }

    @Test
    void argumentsOfAllBatchesKeepTheirValuesFromBeforeTheInterrupt() {
        byte[] value = {'a'};
        try (server;
                RedisClient client =
                        clients.connect(WatchedClients.uri(server), options -> options.fusion(Fusion.NONE))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 500; i++) {
                pipeline.add(Strings.set("k".getBytes(UTF_8), value));
            }
            Thread.currentThread().interrupt();
            assertThatThrownBy(pipeline::run).isInstanceOf(InterruptedCommandException.class);
            assertThat(Thread.interrupted()).isTrue();

            value[0] = 'b';
            // An accepted command behind a refused command would forbid to send the refused command again.
            Eventually.await("all sent commands are refused", () -> inFlight(client) == 0);
            refuses.set(false);

            assertThat(pipeline.run()).hasSize(500).allMatch(Result::ok);
            assertThat(server.commands())
                    .filteredOn(command -> command.name().equals("SET"))
                    .hasSizeGreaterThan(500)
                    .allMatch(command -> command.text(2).equals("a"));
        }
    }
}
