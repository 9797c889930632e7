// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Strings;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests when the pool closes connections that no borrower uses. The client has one shared connection. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoolIdleTest {

    private static final Duration MAX_IDLE = Duration.ofMinutes(5);

    private static FakeRedis startServer() {
        return FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
    }

    private static ClientOptions.Builder options(FakeRedis server) {
        return WatchedClients.options(WatchedClients.uri(server))
                .pingAfterSilence(Duration.ZERO)
                .poolMaxIdle(MAX_IDLE);
    }

    private static void borrowAndReturn(RedisClient client, int connections) {
        List<DedicatedConnection> borrowed =
                IntStream.range(0, connections).mapToObj(i -> client.borrow()).toList();
        borrowed.forEach(DedicatedConnection::close);
    }

    @Test
    void unusedConnectionsAreClosedWithoutTraffic() {
        try (FakeRedis server = startServer();
                RedisClient client = RedisClient.connect(
                        options(server).poolMaxIdle(Duration.ofMillis(1)).build())) {
            borrowAndReturn(client, 3);

            Eventually.await("the dedicated connections are closed", () -> server.openConnections() == 1);

            Eventually.await(
                    "the stats contain only the shared connection",
                    () -> client.stats().connections().stream()
                            .map(ConnectionStats::kind)
                            .toList()
                            .equals(List.of(ConnectionStats.Kind.SHARED)));
        }
    }

    @Test
    void permitOfAClosedConnectionIsFree() {
        try (FakeRedis server = startServer();
                RedisClient client = RedisClient.connect(options(server)
                        .poolMaxIdle(Duration.ofMillis(1))
                        .poolSize(1)
                        .build())) {
            for (int i = 0; i < 3; i++) {
                borrowAndReturn(client, 1);
                Eventually.await("the dedicated connection is closed", () -> server.openConnections() == 1);
            }

            assertThat(server.acceptedConnections()).isEqualTo(4);
        }
    }

    @Test
    void connectionIsKeptUntilItsMaximumIdleTime() {
        ManualClock clock = new ManualClock();
        try (FakeRedis server = startServer();
                RedisClient client =
                        RedisClient.connect(options(server).build(), new ClockAndRandom(clock, new Random(1)))) {
            borrowAndReturn(client, 1);
            clock.advance(MAX_IDLE.minusNanos(1));
            client.call(Strings.set("k", "v"));
            borrowAndReturn(client, 1);
            assertThat(server.acceptedConnections()).isEqualTo(2);

            clock.advance(MAX_IDLE);
            client.call(Strings.set("k", "v"));

            Eventually.await("the dedicated connection is closed", () -> server.openConnections() == 1);
        }
    }

    @Test
    void noConnectionIsClosedIfTheOptionIsZero() {
        ManualClock clock = new ManualClock();
        try (FakeRedis server = startServer();
                RedisClient client = RedisClient.connect(
                        options(server).poolMaxIdle(Duration.ZERO).build(), new ClockAndRandom(clock, new Random(1)))) {
            borrowAndReturn(client, 1);
            clock.advance(Duration.ofHours(25));

            client.call(Strings.set("k", "v"));
            borrowAndReturn(client, 1);

            assertThat(server.acceptedConnections()).isEqualTo(2);
        }
    }
}
