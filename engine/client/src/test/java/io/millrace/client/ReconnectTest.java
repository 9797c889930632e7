// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectTest {

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @Test
    void aClientIsBackWithinTwoSecondsOfItsServerHoweverLongThatWasAway() throws Exception {
        try (EmbeddedRedis first = EmbeddedRedis.start();
                EmbeddedRedis second = EmbeddedRedis.start();
                FaultProxy port = FaultProxy.inFrontOf(first.host(), first.port());
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.of(port.host(), port.port()))
                        .connections(1)
                        .build())) {
            assertThat(client.call(Strings.set("k", "v"))).isEqualTo("OK");

            port.refuseConnections(Refusal.CLOSED_PORT);
            first.kill();
            List<CompletableFuture<String>> meanwhile = new ArrayList<>();
            meanwhile.add(client.send(Strings.set("first", "v")));
            // Long enough for the wait between two attempts to have become as long as it gets.
            pass(Duration.ofMillis(2_500));
            meanwhile.add(client.send(Strings.set("second", "v")));
            port.forwardTo(second.host(), second.port());
            port.acceptConnections();
            long back = System.nanoTime();
            String answer = client.call(Strings.set("third", "v"));
            Duration took = Duration.ofNanos(System.nanoTime() - back);

            System.out.println("back after " + took.toMillis() + " ms");
            assertThat(answer).isEqualTo("OK");
            assertThat(took).isLessThan(Duration.ofSeconds(2));
            for (CompletableFuture<String> one : meanwhile) {
                assertThat(one.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
            }
            assertThat(client.isOpen()).isTrue();
            assertThat(client.account().reconnections()).isOne();
        }
    }

    @Test
    void aPasswordThatIsRefusedOnceIsNotTriedAgainAndEverythingEndsAtOnce() throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.nothing());
        Handler refusing =
                command -> Answer.reply("-WRONGPASS invalid username-password pair or user is disabled.\r\n");
        try (FakeRedis server = FakeRedis.start(Handler.inTurn(silent, refusing));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()).withPassword("marked-secret"),
                        options -> options.fusion(Fusion.NONE))) {
            CompletableFuture<String> write = client.send(Strings.set("k", "v"));
            CompletableFuture<?> read = client.send(Strings.get("k"));
            server.awaitCommands(4, WatchedClients.PATIENCE);
            long before = System.nanoTime();

            network.disconnectAll(Ending.RESET);
            Fate ofWrite = Fate.of(write);
            Fate ofRead = Fate.of(read);
            ConnectionLostException later =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.get("later")));

            // Long before the timeout of 20 s.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
            assertThat(ofWrite).isEqualTo(Fate.LOST_SENT);
            assertThat(ofRead).isEqualTo(Fate.LOST_SENT);
            assertThat(later).hasMessageContaining("WRONGPASS");
            assertThat(later.maybeExecuted()).isFalse();
            pass(Duration.ofMillis(300));
            assertThat(server.acceptedConnections()).isEqualTo(2);
            assertThat(client.isOpen()).isFalse();
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 0, 0, 0, 0, 3, 0));
        }
    }

    /** Time in which something would happen, or does, that nobody announces. */
    private static void pass(Duration time) {
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() - end < 0; ) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }
}
