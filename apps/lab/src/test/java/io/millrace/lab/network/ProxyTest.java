// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.server.LabException;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyTest {

    /** Sends all bytes back, and ends its stream when the client ends its own. */
    private record EchoServer(ServerSocket listener, ExecutorService threads) implements AutoCloseable {

        static EchoServer start() throws IOException {
            var echo = new EchoServer(
                    new ServerSocket(0, 50, InetAddress.getLoopbackAddress()),
                    Executors.newVirtualThreadPerTaskExecutor());
            var unused = echo.threads.submit(echo::acceptAll);
            return echo;
        }

        private Void acceptAll() throws IOException {
            while (true) {
                Socket client = listener.accept();
                var unused = threads.submit(() -> {
                    try (client) {
                        return client.getInputStream().transferTo(client.getOutputStream());
                    }
                });
            }
        }

        int port() {
            return listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listener.close();
            threads.close();
        }
    }

    private static final int SHORT_MILLIS = 200;
    private static final int LONG_MILLIS = 60_000;

    private static Socket connect(CuttableProxy proxy) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout(LONG_MILLIS);
        return socket;
    }

    private static int echo(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }

    @Test
    void connectionsBeyondTheLimitAreResetUntilOneHasEnded() throws Exception {
        try (var echo = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", echo.port(), Duration.ZERO, 2);
                var second = new Socket(proxy.host(), proxy.port())) {
            var first = new Socket(proxy.host(), proxy.port());
            for (Socket socket : List.of(first, second)) {
                socket.getOutputStream().write(7);
                assertThat(socket.getInputStream().read()).isEqualTo(7);
            }
            try (var third = new Socket(proxy.host(), proxy.port())) {
                assertThatThrownBy(() -> third.getInputStream().read()).isInstanceOf(SocketException.class);
            }
            first.close();
            while (proxy.connections() > 1) {
                Thread.onSpinWait();
            }
            try (var next = new Socket(proxy.host(), proxy.port())) {
                next.getOutputStream().write(8);
                assertThat(next.getInputStream().read()).isEqualTo(8);
            }
        }
    }

    @Test
    void cutResetsConnectionsAndAcceptsNewOnes() throws Exception {
        try (var server = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var first = connect(proxy)) {
            assertThat(echo(first, 1)).isEqualTo(1);

            proxy.cut();

            assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(SocketException.class);
            try (var second = connect(proxy)) {
                assertThat(echo(second, 2)).isEqualTo(2);
            }
        }
    }

    @Test
    void refusedConnectionsAreAcceptedOnTheSamePortAfterRestore() throws Exception {
        try (var server = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var first = connect(proxy)) {
            assertThat(echo(first, 1)).isEqualTo(1);
            int port = proxy.port();

            proxy.refuse();

            assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> connect(proxy).close()).isInstanceOf(ConnectException.class);
            proxy.restore();
            assertThat(proxy.port()).isEqualTo(port);
            try (var second = connect(proxy)) {
                assertThat(echo(second, 2)).isEqualTo(2);
            }
        }
    }

    @Test
    void silentProxyAcceptsConnectionsAndDeliversTheBytesAfterRestore() throws Exception {
        try (var server = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var open = connect(proxy)) {
            assertThat(echo(open, 1)).isEqualTo(1);

            proxy.silence();

            open.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> echo(open, 2)).isInstanceOf(SocketTimeoutException.class);
            try (var late = connect(proxy)) {
                late.getOutputStream().write(3);
                proxy.restore();
                open.setSoTimeout(LONG_MILLIS);
                assertThat(open.getInputStream().read()).isEqualTo(2);
                assertThat(late.getInputStream().read()).isEqualTo(3);
            }
        }
    }

    @Test
    void newConnectionsGoToTheOtherServerAfterSwitch() throws Exception {
        try (var server = EchoServer.start();
                var other = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", server.port())) {
            server.close();

            proxy.switchTo("127.0.0.1", other.port());

            try (var client = connect(proxy)) {
                assertThat(echo(client, 7)).isEqualTo(7);
            }
        }
    }

    @Test
    void closeEndsASilentConnection() throws Exception {
        try (var server = EchoServer.start()) {
            var proxy = CuttableProxy.start("127.0.0.1", server.port());
            try (var client = connect(proxy)) {
                assertThat(echo(client, 1)).isEqualTo(1);
                proxy.silence();
                client.getOutputStream().write(2);

                proxy.close();

                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            }
        }
    }

    private static final Duration DELAY = Duration.ofMillis(40);

    /** A client, a proxy and a server; the sockets of both ends of one connection. */
    private record Pair(ServerSocket listener, CuttableProxy proxy, Socket client, Socket server)
            implements AutoCloseable {

        static Pair connect(Duration delay) throws IOException {
            var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            var proxy = CuttableProxy.start("127.0.0.1", listener.getLocalPort(), delay);
            var client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
            return new Pair(listener, proxy, client, listener.accept());
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            proxy.close();
            listener.close();
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String read(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    @Test
    void connectionAndRoundTripTakeTheDelayOrLonger() throws Exception {
        long start = System.nanoTime();
        try (var pair = Pair.connect(DELAY)) {
            long connected = System.nanoTime();

            write(pair.client, "ping");
            write(pair.server, read(pair.server, 4));
            read(pair.client, 4);

            assertThat(connected - start).isGreaterThanOrEqualTo(DELAY.toNanos());
            assertThat(System.nanoTime() - connected).isGreaterThanOrEqualTo(DELAY.toNanos());
        }
    }

    @Test
    void delayDoesNotLowerTheBandwidth() throws Exception {
        int chunks = 100;
        try (var pair = Pair.connect(Duration.ofMillis(400));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long start = System.nanoTime();

            Future<byte[]> read =
                    threads.submit(() -> pair.server.getInputStream().readNBytes(chunks * 10_000));
            for (int i = 0; i < chunks; i++) {
                pair.client.getOutputStream().write(new byte[10_000]);
            }

            assertThat(read.get()).hasSize(chunks * 10_000);
            // If each chunk waited for the chunk before, this would take 20 s.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void bytesOfManyConnectionsArriveUnchangedAndInOrder() throws Exception {
        try (var echo = EchoServer.start();
                var proxy = CuttableProxy.start("127.0.0.1", echo.port(), Duration.ofMillis(2));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Boolean>> clients = new ArrayList<>();
            for (int seed = 0; seed < 20; seed++) {
                var random = new Random(seed);
                clients.add(() -> isEchoed(proxy, random));
            }

            for (Future<Boolean> result : threads.invokeAll(clients)) {
                assertThat(result.get()).isTrue();
            }
        }
    }

    private static boolean isEchoed(CuttableProxy proxy, Random random) throws Exception {
        byte[] sent = new byte[500_000];
        random.nextBytes(sent);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<byte[]> received =
                    threads.submit(() -> socket.getInputStream().readAllBytes());
            for (int from = 0; from < sent.length; ) {
                int length = Math.min(sent.length - from, 1 + random.nextInt(90_000));
                socket.getOutputStream().write(sent, from, length);
                from += length;
            }
            socket.shutdownOutput();
            return Arrays.equals(sent, received.get());
        }
    }

    @Test
    void endOfOneStreamLeavesTheOtherStreamOpen() throws Exception {
        try (var pair = Pair.connect(DELAY)) {
            pair.client.shutdownOutput();

            assertThat(pair.server.getInputStream().read()).isNegative();
            write(pair.server, "still here");
            assertThat(read(pair.client, 10)).isEqualTo("still here");
        }
    }

    @Test
    void resetOfTheServerReachesTheClientAfterTheBytesBefore() throws Exception {
        try (var pair = Pair.connect(DELAY)) {
            write(pair.server, "last");
            assertThat(read(pair.client, 4)).isEqualTo("last");

            pair.server.setSoLinger(true, 0);
            pair.server.close();

            assertThatThrownBy(() -> pair.client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void refusedConnectionShowsAsResetAndTheProxyContinues() throws Exception {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        try (var proxy = CuttableProxy.start("127.0.0.1", port)) {
            for (int i = 0; i < 3; i++) {
                try (var client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                    assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
                }
            }
        }
    }

    @Test
    void receiverThatDoesNotReadFillsTheMemoryToTheLimitOnly() throws Exception {
        try (var pair = Pair.connect(Duration.ZERO)) {
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 640; i++) {
                        pair.client.getOutputStream().write(new byte[100_000]);
                    }
                } catch (IOException e) {
                    // The test closes the socket.
                }
            });

            long before;
            do { // until the proxy holds no more bytes than half a second ago
                before = pair.proxy.heldBytes();
                writer.join(500);
            } while (before == 0 || pair.proxy.heldBytes() > before);

            assertThat(writer.isAlive()).isTrue();
            assertThat(pair.proxy.heldBytes()).isBetween(8L << 20, 16L << 20);
            assertThat(pair.server.getInputStream().readNBytes(64_000_000)).hasSize(64_000_000);
            writer.join();
        }
    }

    @Test
    void closeReleasesTheMemoryOfBytesThatWait() throws Exception {
        CuttableProxy proxy;
        try (var pair = Pair.connect(Duration.ofMillis(1))) {
            proxy = pair.proxy;
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        pair.client.getOutputStream().write(new byte[100_000]);
                    }
                } catch (IOException e) {
                    // The proxy closes the connection.
                }
            });
            while (proxy.heldBytes() < 1 << 20) {
                Thread.onSpinWait();
            }

            proxy.close();

            writer.join();
        }
        assertThat(proxy.heldBytes()).isZero();
        assertThat(proxy.connections()).isZero();
    }

    @Test
    void calibratedProxyTellsWhatARoundTripGains() throws Exception {
        try (var echo = EchoServer.start();
                var proxy = LatencyProxy.start("127.0.0.1", echo.port(), Duration.ofMillis(3))) {
            assertThat(proxy.added()).isGreaterThan(Duration.ofMillis(2));
        }
    }

    @Test
    void wrongSettingsAreRefused() {
        assertThatThrownBy(() -> LatencyProxy.start("127.0.0.1", 1, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("roundTrip=PT-0.001S");
        assertThatThrownBy(() -> LatencyProxy.start("no-such-host.invalid", 1, Duration.ZERO))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("host=no-such-host.invalid");
    }
}
