// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.FaultProxyTest.TIMEOUT;
import static io.millrace.testkit.FaultProxyTest.connect;
import static io.millrace.testkit.FaultProxyTest.inFrontOf;
import static io.millrace.testkit.FaultProxyTest.roundTrip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests how a proxy accepts and refuses connections. Also tests that a closed proxy leaves no thread and no connection.
 */
@Timeout(100)
@ExtendWith(NoConnectionLeft.class)
class FaultProxyRefusalTest {

    @Test
    void proxyCanResetNewConnections() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.refuseConnections(RefusalMode.RESET);

            assertThatThrownBy(() -> endOfNew(proxy)).isInstanceOf(SocketException.class);
            proxy.awaitRefused(1, TIMEOUT);
            assertThat(proxy.acceptedConnections()).isZero();
        }
    }

    @Test
    void proxyCanCloseItsPort() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.refuseConnections(RefusalMode.CLOSED_PORT);

            assertThatThrownBy(() -> connect(proxy)).isInstanceOf(ConnectException.class);
            assertThat(proxy.refusedConnections()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void proxyAcceptsConnectionsAgainOnTheSamePortAndKeepsOpenConnections(RefusalMode refusalMode) throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket before = connect(proxy)) {
            int port = proxy.port();
            roundTrip(before, new byte[1]);

            for (int i = 0; i < 3; i++) {
                proxy.refuseConnections(refusalMode);
                proxy.acceptConnections();
            }

            assertThat(proxy.port()).isEqualTo(port);
            assertThat(roundTrip(before, new byte[] {1})).containsExactly(1);
            try (Socket after = connect(proxy)) {
                assertThat(roundTrip(after, new byte[] {2})).containsExactly(2);
            }
        }
    }

    @Test
    void refusalModeCanBeChanged() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.refuseConnections(RefusalMode.CLOSED_PORT);
            proxy.refuseConnections(RefusalMode.RESET);

            assertThatThrownBy(() -> endOfNew(proxy))
                    .isInstanceOf(SocketException.class)
                    .isNotInstanceOf(ConnectException.class);
            proxy.refuseConnections(RefusalMode.CLOSED_PORT);
            assertThatThrownBy(() -> connect(proxy)).isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void clientsAreResetWhileTheServerIsDownUntilTheProxyForwardsToAnotherServer() throws Exception {
        EchoServer dead = new EchoServer();
        dead.close();
        try (FaultProxy proxy = inFrontOf(dead);
                EchoServer replacement = new EchoServer()) {
            assertThatThrownBy(() -> endOfNew(proxy)).isInstanceOf(SocketException.class);
            proxy.awaitRefused(1, TIMEOUT);

            proxy.forwardTo(replacement.host(), replacement.port());

            try (Socket client = connect(proxy)) {
                assertThat(roundTrip(client, new byte[] {3})).containsExactly(3);
            }
        }
    }

    @Test
    void closeEndsAllThreadsAndConnectionsOfTheProxy() throws Exception {
        try (EchoServer server = new EchoServer()) {
            FaultProxy proxy = inFrontOf(server);
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(connect(proxy));
                roundTrip(clients.get(i), new byte[1]);
            }
            proxy.stall(Direction.TO_CLIENT);
            clients.getFirst().getOutputStream().write(1);
            clients.get(1).close();
            proxy.refuseConnections(RefusalMode.CLOSED_PORT);

            proxy.close();

            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("fault-proxy"));
            assertThat(proxy.openConnections()).isZero();
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void closedConnectionsLeaveNoThreads() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            for (int i = 0; i < 100; i++) {
                try (Socket client = connect(proxy)) {
                    roundTrip(client, new byte[1]);
                }
            }
            proxy.awaitOpen(0, TIMEOUT);

            assertThat(Polling.until(() -> pumpThreads() == 0, TIMEOUT)).isTrue();
            assertThat(proxy.acceptedConnections()).isEqualTo(100);
        }
    }

    private static long pumpThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("fault-proxy-\\d.*"))
                .count();
    }

    private static int endOfNew(FaultProxy proxy) throws IOException {
        try (Socket client = connect(proxy)) {
            return client.getInputStream().read();
        }
    }
}
