// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoConnectionLeft.class)
class NoConnectionLeftTest {

    private static final List<AutoCloseable> LEFT = new ArrayList<>();

    @AfterEach
    void closeLeftSockets() throws Exception {
        for (AutoCloseable left : LEFT) {
            left.close();
        }
        LEFT.clear();
        Leaky.timeout = Leaky.SHORT;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void connectionThatATestLeavesOpenFailsTheTestAndIsReported() {
        String failure =
                ExtensionRun.of(Leaky.class, "testLeavesAConnectionOpen").failure();

        Socket left = (Socket) LEFT.getFirst();
        assertThat(failure)
                .contains("connections are still open 20 ms after the test: socketsBefore=")
                .contains(
                        "left=[127.0.0.1:" + left.getLocalPort() + " -> 127.0.0.1:" + left.getPort() + " CLOSE_WAIT]");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void listeningSocketThatATestLeavesOpenFailsTheTest() {
        assertThat(ExtensionRun.of(Leaky.class, "testLeavesAServerSocketOpen").failure())
                .contains(" LISTEN]");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void socketThatThePeerHasResetCountsAsOpenIfTheTestDoesNotCloseIt() {
        assertThat(ExtensionRun.of(Leaky.class, "testDoesNotCloseASocketThatThePeerHasReset")
                        .failure())
                .contains("left=[a socket that is neither connected nor listening]");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void unixSocketThatATestLeavesOpenFailsTheTest(@TempDir Path folder) throws IOException {
        Leaky.path = folder.resolve("socket");

        assertThat(ExtensionRun.of(Leaky.class, "testLeavesAUnixSocketOpen").failure())
                .contains("left=[unix socket");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "testLeavesNoConnection",
                "connectionsAreClosedSoon",
                "testHasClientsThatDisconnectSoonAfterItsEnd"
            })
    void testPassesIfItsConnectionsAreClosedSoonAfterItsEnd(String test) {
        Leaky.timeout = NoConnectionLeft.TIMEOUT;

        ExtensionRun.of(Leaky.class, test).assertSucceeded();
    }

    @Test
    void testMayReplaceAConnectionThatWasOpenBeforeTheTest() throws IOException {
        try (ServerSocket listener = listen();
                Socket before = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
            Leaky.replaced = before;

            ExtensionRun.of(Leaky.class, "testReplacesAnEarlierConnection").assertSucceeded();
        }
    }

    @Test
    void openConnectionOfAWatchedServerFailsTheTest() {
        assertThat(ExtensionRun.of(Leaky.class, "testLeavesClientsConnectedToAServer")
                        .failure())
                .contains("connections are still open 20 ms after the test: name=server, 2 open connections")
                .doesNotContain("left=");
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    /**
     * The tests above run these test methods. The build does not run them directly, because it skips nested static
     * classes.
     */
    static class Leaky {

        static final Duration SHORT = Duration.ofMillis(20);

        static Duration timeout = SHORT;
        static Path path = Path.of("");
        static Socket replaced = new Socket();

        @RegisterExtension
        final NoConnectionLeft noConnectionLeft = new NoConnectionLeft(timeout);

        @Test
        void testLeavesNoConnection() throws IOException {
            try (ServerSocket listener = listen()) {
                new Socket(listener.getInetAddress(), listener.getLocalPort()).close();
            }
        }

        @Test
        void testLeavesAConnectionOpen() throws IOException {
            try (ServerSocket listener = listen()) {
                LEFT.add(new Socket(listener.getInetAddress(), listener.getLocalPort()));
                listener.accept().close();
            }
        }

        @Test
        void testLeavesAServerSocketOpen() throws IOException {
            LEFT.add(listen());
        }

        @Test
        void testDoesNotCloseASocketThatThePeerHasReset() throws IOException {
            try (ServerSocket listener = listen()) {
                SocketChannel client = SocketChannel.open(listener.getLocalSocketAddress());
                LEFT.add(client);
                Sockets.reset(listener.accept());
            }
        }

        @Test
        void testLeavesAUnixSocketOpen() throws IOException {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
            try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                listener.bind(address);
                LEFT.add(SocketChannel.open(address));
            }
        }

        @Test
        void connectionsAreClosedSoon() throws IOException {
            FakeRedis fake = FakeRedis.start(command -> Answer.noReply());
            Thread.ofPlatform().start(fake::close);
        }

        @Test
        void testReplacesAnEarlierConnection() throws IOException {
            LEFT.add(new Socket(replaced.getInetAddress(), replaced.getPort()));
            replaced.close();
        }

        @Test
        void testHasClientsThatDisconnectSoonAfterItsEnd() {
            AtomicInteger open = new AtomicInteger(3);
            noConnectionLeft.watch("server", () -> open.getAndUpdate(now -> Math.max(0, now - 1)));
        }

        @Test
        void testLeavesClientsConnectedToAServer() {
            noConnectionLeft.watch("server", () -> 2);
        }
    }
}
