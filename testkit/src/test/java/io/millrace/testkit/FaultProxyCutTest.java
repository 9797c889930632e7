// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.Direction.TO_CLIENT;
import static io.millrace.testkit.Direction.TO_SERVER;
import static io.millrace.testkit.FaultProxyTest.TIMEOUT;
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

/** Tests how a proxy ends connections. */
@Timeout(100)
@ExtendWith(NoConnectionLeft.class)
class FaultProxyCutTest {

    private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
    private static final String OK = "+OK\r\n";

    @Test
    void requestBytesBeforeACutAndTheirRepliesAreForwarded() throws IOException {
        String batch = SET.repeat(3);
        for (int bytes = 0; bytes <= batch.length(); bytes++) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                    FaultProxy proxy = inFront(server);
                    Socket client = connect(proxy)) {
                exchange(client);

                proxy.cut(TO_SERVER, bytes, ConnectionEnd.CLOSE);
                send(client, batch);
                String replies = new String(client.getInputStream().readAllBytes(), UTF_8);
                server.awaitDisconnections(1, TIMEOUT);

                assertThat(server.received(0))
                        .as("cut after %d bytes", bytes)
                        .asString(UTF_8)
                        .isEqualTo(SET + batch.substring(0, bytes));
                assertThat(replies).as("cut after %d bytes", bytes).isEqualTo(OK.repeat(bytes / SET.length()));
            }
        }
    }

    @Test
    void exactlyTheReplyBytesBeforeACutAreForwarded() throws IOException {
        String replies = OK.repeat(3);
        for (int bytes = 0; bytes <= replies.length(); bytes++) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                    FaultProxy proxy = inFront(server);
                    Socket client = connect(proxy)) {
                exchange(client);

                proxy.cut(TO_CLIENT, bytes, ConnectionEnd.CLOSE);
                send(client, SET.repeat(3));

                assertThat(client.getInputStream().readAllBytes())
                        .asString(UTF_8)
                        .isEqualTo(replies.substring(0, bytes));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void resetOfOneDirectionEndsTheConnectionsToClientAndServer(Direction direction) throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(direction, 2, ConnectionEnd.RESET);
            send(client, SET);

            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(SocketException.class);
            server.awaitDisconnections(1, TIMEOUT);
            proxy.awaitOpen(0, TIMEOUT);
            // The server receives no byte after the cut. It may receive fewer bytes than the proxy has forwarded,
            // because a reset may discard unread bytes.
            assertThat(server.received(0))
                    .hasSizeLessThanOrEqualTo(SET.length() + (direction == TO_SERVER ? 2 : SET.length()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void cutAfterZeroBytesEndsTheConnectionAtOnce(Direction direction) throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(direction, 0, ConnectionEnd.CLOSE);

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void requestsAreStillForwardedWhenAllFurtherRepliesAreDropped() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(TO_CLIENT, 3, ConnectionEnd.SILENCE);
            send(client, SET + SET);

            assertThat(client.getInputStream().readNBytes(3)).asString(UTF_8).isEqualTo("+OK");
            assertSilent(client);
            assertThat(server.awaitCommands(3, TIMEOUT)).hasSize(3);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void pushesAreStillForwardedWhenAllFurtherRequestsAreDropped() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.cut(TO_SERVER, 3, ConnectionEnd.SILENCE);
            send(client, SET);
            server.send(0, Answer.push("still", "there"));

            assertThat(client.getInputStream().readNBytes(4)).asString(UTF_8).isEqualTo(">2\r\n");
            assertThat(server.awaitBytes(0, SET.length() + 3, TIMEOUT)).hasSize(SET.length() + 3);
            assertThat(server.openConnections()).isOne();
        }
    }

    @Test
    void clientDoesNotNoticeThatTheServerClosedASilentConnection() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.disconnectAll(ConnectionEnd.SILENCE);
            server.close();

            assertSilent(client);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void silentConnectionEndsWhenTheClientClosesItsSocket() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server)) {
            try (Socket client = connect(proxy)) {
                exchange(client);
                proxy.disconnectAll(ConnectionEnd.SILENCE);
                send(client, SET);
                assertSilent(client);
            }

            proxy.awaitOpen(0, TIMEOUT);
            server.awaitDisconnections(1, TIMEOUT);
            assertThat(server.received(0)).asString(UTF_8).isEqualTo(SET);
        }
    }

    @Test
    void disconnectAllAlsoClosesTheConnectionsToTheServer() throws IOException {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(OK));
                FaultProxy proxy = inFront(server);
                Socket client = connect(proxy)) {
            exchange(client);

            proxy.disconnectAll(ConnectionEnd.CLOSE);

            server.awaitDisconnections(1, TIMEOUT);
            assertThat(proxy.openConnections()).isOne();
        }
    }

    @Test
    void clientThatSendsToAClosedServerReceivesAReset() throws IOException {
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
            proxy.awaitOpen(0, TIMEOUT);
        }
    }

    @Test
    void disconnectAllEndsAllOpenConnectionsAndLaterConnectionsWork() throws Exception {
        for (ConnectionEnd connectionEnd : ConnectionEnd.values()) {
            try (EchoServer server = new EchoServer();
                    FaultProxy proxy = inFrontOf(server);
                    Socket first = connect(proxy);
                    Socket second = connect(proxy)) {
                roundTrip(first, new byte[1]);
                roundTrip(second, new byte[1]);

                proxy.disconnectAll(connectionEnd);

                assertEnded(first, connectionEnd);
                assertEnded(second, connectionEnd);
                try (Socket later = connect(proxy)) {
                    assertThat(roundTrip(later, new byte[] {7})).containsExactly(7);
                }
            }
        }
    }

    @Test
    void eachCallOfCutNextEndsExactlyOneConnection() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.cutNext(TO_CLIENT, 2, ConnectionEnd.CLOSE);
            proxy.cutNext(TO_SERVER, 1, ConnectionEnd.CLOSE);

            assertThat(echoOf(proxy, "hello")).isEqualTo("he");
            assertThat(echoOf(proxy, "hello")).isEqualTo("h");
            assertThat(echoOf(proxy, "hello")).isEqualTo("hello");
        }
    }

    @Test
    void cutAfterANegativeNumberOfBytesIsRejected() {
        try (FaultProxy proxy = FaultProxy.inFrontOf("127.0.0.1", 1)) {
            assertThatThrownBy(() -> proxy.cut(TO_CLIENT, -1, ConnectionEnd.CLOSE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("afterBytes=-1");
        }
    }

    private static FaultProxy inFront(FakeRedis server) {
        return FaultProxy.inFrontOf(server.host(), server.port());
    }

    /**
     * Sends one command and reads its reply. After that, the connection is certainly open in the proxy, and a cut
     * applies to it.
     */
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

    private static void assertEnded(Socket client, ConnectionEnd connectionEnd) throws IOException {
        switch (connectionEnd) {
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
