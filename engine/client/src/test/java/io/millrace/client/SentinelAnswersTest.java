// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Server;
import io.millrace.client.exception.ConnectException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the answers of Sentinels: late, wrong, or none. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SentinelAnswersTest {

    private static final String NAME = "shop";
    private static final String UNKNOWN = "*-1\r\n";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** A server that says its role in the reply to {@code HELLO}. */
    private static FakeRedis server(String role) {
        String hello = "%4" + Handler.HELLO.substring(2) + "$4\r\nrole\r\n$" + role.length() + "\r\n" + role + "\r\n";
        return FakeRedis.start(Handler.afterHandshake(hello, command -> Answer.reply("+PONG\r\n")));
    }

    private static FakeRedis sentinel(Answer address) {
        return FakeRedis.start(Handler.afterHandshake(command -> switch (command.name()) {
            case "SENTINEL" -> address;
            case "SUBSCRIBE" -> Answer.push("subscribe", "+switch-master", "1");
            default -> Answer.reply("+PONG\r\n");
        }));
    }

    private static Answer address(FakeRedis server) {
        String port = Integer.toString(server.port());
        return Answer.reply("*2\r\n$" + server.host().length() + "\r\n" + server.host() + "\r\n$" + port.length()
                + "\r\n" + port + "\r\n");
    }

    private static RedisUri of(FakeRedis... sentinels) {
        List<RedisUri.Tcp> addresses = Stream.of(sentinels)
                .map(sentinel -> new RedisUri.Tcp(sentinel.host(), sentinel.port()))
                .toList();
        return RedisUri.sentinels(addresses, NAME);
    }

    @Test
    void serverThatIsNoPrimaryIsNotUsed() {
        try (FakeRedis replica = server("slave");
                FakeRedis primary = server("master");
                FakeRedis behind = sentinel(address(replica));
                FakeRedis current = sentinel(address(primary));
                RedisClient client = clients.connect(of(behind, current))) {
            assertThat(client.call(Server.ping())).isEqualTo("PONG");

            assertThat(primary.commands()).anyMatch(command -> command.name().equals("PING"));
            assertThat(replica.openConnections()).isZero();
        }
    }

    @Test
    void sentinelThatDoesNotAnswerDelaysNothing() {
        CountDownLatch never = new CountDownLatch(1);
        try (FakeRedis primary = server("master");
                FakeRedis silent = sentinel(Answer.reply(UNKNOWN).heldUntil(never));
                FakeRedis current = sentinel(address(primary))) {
            long start = System.nanoTime();

            try (RedisClient client = clients.connect(of(silent, current))) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
            }

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(WatchedClients.SHORT_LIMIT);
            never.countDown();
        }
    }

    @Test
    void failureNamesTheReasonOfEachSentinel() {
        try (FakeRedis replica = server("slave");
                FakeRedis behind = sentinel(address(replica));
                FakeRedis stranger = sentinel(Answer.reply(UNKNOWN));
                FakeRedis guarded = sentinel(Answer.reply("-NOPERM no permission for SENTINEL\r\n"));
                FaultProxy closed = FaultProxy.inFrontOf("127.0.0.1", 1)) {
            closed.refuseConnections(RefusalMode.CLOSED_PORT);
            List<RedisUri.Tcp> addresses = Stream.concat(
                            Stream.of(behind, stranger, guarded)
                                    .map(sentinel -> new RedisUri.Tcp(sentinel.host(), sentinel.port())),
                            Stream.of(new RedisUri.Tcp(closed.host(), closed.port())))
                    .toList();

            assertThatThrownBy(() -> clients.connect(RedisUri.sentinels(addresses, NAME)))
                    .isInstanceOfSatisfying(
                            ConnectException.class,
                            e -> assertThat(e.reason()).isEqualTo(ConnectException.Reason.UNREACHABLE))
                    .hasMessageContaining("no Sentinel names a primary that can be used: ")
                    .hasMessageContaining(replica.host() + ":" + replica.port() + " is not a primary")
                    .hasMessageContaining("Sentinel " + stranger.host() + ":" + stranger.port()
                            + ": knows no primary of the name shop")
                    .hasMessageContaining(
                            "Sentinel " + guarded.host() + ":" + guarded.port() + ": NOPERM no permission for SENTINEL")
                    .hasMessageContaining("Sentinel " + closed.host() + ":" + closed.port() + ": cannot connect to");
        }
    }

    @Test
    void sentinelsThatDoNotAnswerEndTheAttemptAtItsLimit() {
        CountDownLatch never = new CountDownLatch(1);
        try (FakeRedis silent = sentinel(Answer.reply(UNKNOWN).heldUntil(never))) {
            assertThatThrownBy(() ->
                            clients.connect(of(silent), options -> options.connectTimeout(Duration.ofMillis(300))))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("cannot connect to redis-sentinel://")
                    .hasMessageMatching(".*Sentinel.* within [0-9]+ ms.*");
            never.countDown();
        }
    }

    @Test
    void messageOfASentinelMovesTheConnectionToTheNewPrimary() {
        try (FakeRedis first = server("master");
                FakeRedis second = server("master")) {
            RedirectedSentinel script = new RedirectedSentinel(first);
            try (FakeRedis sentinel = FakeRedis.start(Handler.afterHandshake(script::answer));
                    RedisClient client = clients.connect(of(sentinel))) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
                Eventually.await("the client has subscribed", () -> script.subscription >= 0);
                script.primary = second;

                sentinel.send(
                        script.subscription,
                        Answer.push("message", "+switch-master", "other 127.0.0.1 1 127.0.0.1 2")
                                .then(Answer.push("message", "+switch-master", "nonsense"))
                                .then(Answer.push(
                                        "message",
                                        "+switch-master",
                                        NAME + " " + first.host() + " " + first.port() + " " + second.host() + " "
                                                + second.port())));

                Eventually.await(
                        "the connection was replaced", () -> client.stats().reconnections() == 1);
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
                assertThat(second.commands()).anyMatch(command -> command.name().equals("PING"));
            }
        }
    }

    /** A Sentinel that names another primary after a while. */
    private static final class RedirectedSentinel {

        private volatile FakeRedis primary;

        /** Number of the connection that has subscribed; -1 before. */
        private volatile int subscription = -1;

        RedirectedSentinel(FakeRedis primary) {
            this.primary = primary;
        }

        Answer answer(ReceivedCommand command) {
            return switch (command.name()) {
                case "SENTINEL" -> address(primary);
                case "SUBSCRIBE" -> {
                    subscription = command.connection();
                    yield Answer.push("subscribe", "+switch-master", "1");
                }
                default -> Answer.reply("+PONG\r\n");
            };
        }
    }
}
