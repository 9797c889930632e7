// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.Direction.TO_CLIENT;
import static io.millrace.testkit.Direction.TO_SERVER;
import static io.millrace.testkit.FaultProxyTest.PATIENCE;
import static io.millrace.testkit.FaultProxyTest.connect;
import static io.millrace.testkit.FaultProxyTest.inFrontOf;
import static io.millrace.testkit.FaultProxyTest.roundTrip;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a proxy ends connections. */
@Timeout(30)
@ExtendWith(NoConnectionLeft.class)
class FaultProxyCutTest {

    private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
    private static final String OK = "+OK\r\n";

    @Test
    void anEndOfStreamAfterAnyByteOfTheRequestsLetsExactlyThoseThroughAndTheirRepliesBack() throws IOException {
        String batch = SET.repeat(3);
        for (int bytes = 0; bytes <= batch.length(); bytes++) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                    FaultProxy proxy = inFront(server);
                    Socket client = connect(proxy)) {
                exchange(client);

                proxy.cut(TO_SERVER, bytes, Ending.CLOSE);
                send(client, batch);
                String replies = new String(client.getInputStream().readAllBytes(), UTF_8);
                server.awaitDisconnections(1, PATIENCE);

                assertThat(server.received(0))
                        .as("cut after %d bytes", bytes)
                        .asString(UTF_8)
                        .isEqualTo(SET + batch.substring(0, bytes));
                assertThat(replies).as("cut after %d bytes", bytes).isEqualTo(OK.repeat(bytes / SET.length()));
            }
        }
    }

    @Test
    void anEndOfStreamAfterAnyByteOfTheRepliesLetsExactlyThoseThrough() throws IOException {
        String replies = OK.repeat(3);
        for (int bytes = 0; bytes <= replies.length(); bytes++) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                    FaultProxy proxy = inFront(server);
                    Socket client = connect(proxy)) {
                exchange(client);

                proxy.cut(TO_CLIENT, bytes, Ending.CLOSE);
                send(client, SET.repeat(3));

                assertThat(client.getInputStream().readAllBytes())
                        .asString(UTF_8)
                        .isEqualTo(replies.substring(0, bytes));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aResetAfterSomeBytesResetsBothEnds(Direction direction) throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(direction, 2, Ending.RESET);
            send(client, SET);

            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(SocketException.class);
            server.awaitDisconnections(1, PATIENCE);
            proxy.awaitOpen(0, PATIENCE);
            // The byte that was last to pass may have been overtaken by the reset, but none came after it.
            assertThat(server.received(0))
                    .hasSizeLessThanOrEqualTo(SET.length() + (direction == TO_SERVER ? 2 : SET.length()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCutAfterNoByteStrikesAtOnce(Direction direction) throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(direction, 0, Ending.CLOSE);

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void silenceOfTheServerKeepsTheConnectionAndItsRequests() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(TO_CLIENT, 3, Ending.SILENCE);
            send(client, SET + SET);

            assertThat(client.getInputStream().readNBytes(3)).asString(UTF_8).isEqualTo("+OK");
            assertSilent(client);
            assertThat(server.awaitCommands(3, PATIENCE)).hasSize(3);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void silenceOfTheClientKeepsTheConnectionAndLosesItsRequests() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(TO_SERVER, 3, Ending.SILENCE);
            send(client, SET);
            server.say(0, Answer.push("still", "there"));

            assertThat(client.getInputStream().readNBytes(4)).asString(UTF_8).isEqualTo(">2\r\n");
            assertThat(server.awaitBytes(0, SET.length() + 3, PATIENCE)).hasSize(SET.length() + 3);
            assertThat(server.openConnections()).isOne();
        }
    }

    @Test
    void aSilentConnectionHearsNotEvenOfTheServersEnd() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.disconnectAll(Ending.SILENCE);
            server.close();

            assertSilent(client);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void theEndOfTheClientFreesASilentConnection() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server)) {
            try (Socket client = connect(proxy)) {
                exchange(client);
                proxy.disconnectAll(Ending.SILENCE);
                send(client, SET);
                assertSilent(client);
            }

            proxy.awaitOpen(0, PATIENCE);
            server.awaitDisconnections(1, PATIENCE);
            assertThat(server.received(0)).asString(UTF_8).isEqualTo(SET);
        }
    }

    @Test
    void anEndForAllIsSeenByTheServerToo() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.disconnectAll(Ending.CLOSE);

            server.awaitDisconnections(1, PATIENCE);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void aServerThatHasGoneResetsWhoGoesOnSending() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            server.close();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(() -> {
                        while (true) {
                            send(client, SET);
                        }
                    })
                    .isInstanceOf(SocketException.class);
            proxy.awaitOpen(0, PATIENCE);
        }
    }

    @Test
    void anEndForAllIsSeenByEveryConnectionOfNowAndByNoneOfLater() throws Exception {
        for (Ending ending : Ending.values()) {
            try (EchoServer server = new EchoServer();
                    FaultProxy proxy = inFrontOf(server);
                    Socket first = connect(proxy);
                    Socket second = connect(proxy)) {
                roundTrip(first, new byte[1]);
                roundTrip(second, new byte[1]);

                proxy.disconnectAll(ending);

                assertEnded(first, ending);
                assertEnded(second, ending);
                try (Socket later = connect(proxy)) {
                    assertThat(roundTrip(later, new byte[] {7})).containsExactly(7);
                }
            }
        }
    }

    @Test
    void plannedCutsStrikeOneConnectionEach() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.cutNext(TO_CLIENT, 2, Ending.CLOSE);
            proxy.cutNext(TO_SERVER, 1, Ending.CLOSE);

            assertThat(echoOf(proxy, "hello")).isEqualTo("he");
            assertThat(echoOf(proxy, "hello")).isEqualTo("h");
            assertThat(echoOf(proxy, "hello")).isEqualTo("hello");
        }
    }

    @Test
    void aCutOfFewerThanNoBytesIsRefused() {
        try (FaultProxy proxy = FaultProxy.inFrontOf("127.0.0.1", 1)) {
            assertThatThrownBy(() -> proxy.cut(TO_CLIENT, -1, Ending.CLOSE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("afterBytes=-1");
        }
    }

    private static FaultProxy inFront(FakeRedis server) {
        return FaultProxy.inFrontOf(server.host(), server.port());
    }

    /** One command there and its reply back, so that the connection is known to be open. */
    private static void exchange(Socket client) throws IOException {
        send(client, SET);
        assertThat(client.getInputStream().readNBytes(OK.length()))
                .asString(UTF_8)
                .isEqualTo(OK);
    }

    private static void send(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(UTF_8));
    }

    private static String echoOf(FaultProxy proxy, String text) throws IOException {
        try (Socket client = connect(proxy)) {
            send(client, text);
            client.shutdownOutput();
            return new String(client.getInputStream().readAllBytes(), UTF_8);
        }
    }

    private static void assertEnded(Socket client, Ending ending) throws IOException {
        switch (ending) {
            case CLOSE -> assertThat(client.getInputStream().read()).isEqualTo(-1);
            case RESET ->
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            case SILENCE -> assertSilent(client);
        }
    }

    private static void assertSilent(Socket client) throws IOException {
        client.setSoTimeout(30);
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }
}
