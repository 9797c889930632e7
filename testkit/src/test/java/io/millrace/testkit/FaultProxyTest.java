// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.Direction.TO_CLIENT;
import static io.millrace.testkit.Direction.TO_SERVER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests how the proxy forwards bytes, delays them and limits their rate. Other test classes test how it ends and
 * refuses connections.
 */
@Timeout(100)
@ExtendWith(NoConnectionLeft.class)
class FaultProxyTest {

    static final Duration TIMEOUT = Duration.ofSeconds(50);

    @Test
    void bytesAreForwardedUnchangedInBothDirectionsAndCounted() throws Exception {
        byte[] sent = bytes(3_000_000);
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {

            byte[] echoed = roundTrip(client, sent);

            assertThat(Arrays.equals(echoed, sent)).isTrue();
            proxy.awaitForwarded(TO_CLIENT, sent.length, TIMEOUT);
            assertThat(proxy.forwardedBytes(TO_SERVER)).isEqualTo(sent.length);
            assertThat(proxy.forwardedBytes(TO_CLIENT)).isEqualTo(sent.length);
        }
    }

    @Test
    void bytesAreForwardedUnchangedIfDelayAndRateLimitAndSmallWritesAreCombined() throws Exception {
        byte[] sent = bytes(20_000);
        Faults faults = new Faults(Duration.ofMillis(5), 200_000, 3, false);
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.faults(faults);

            assertThat(Arrays.equals(roundTrip(client, sent), sent)).isTrue();
        }
    }

    @Test
    void roundTripTakesAtLeastTheDelaysOfBothDirections() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            roundTrip(client, new byte[1]);
            proxy.faults(TO_SERVER, Faults.NONE.withDelay(Duration.ofMillis(30)));
            proxy.faults(TO_CLIENT, Faults.NONE.withDelay(Duration.ofMillis(20)));

            long start = System.nanoTime();
            roundTrip(client, new byte[1]);
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            assertThat(took).isBetween(Duration.ofMillis(50), TIMEOUT);
        }
    }

    @Test
    void delayDoesNotLowerTheBandwidth() throws Exception {
        byte[] sent = bytes(8_000_000);
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.faults(TO_SERVER, Faults.NONE.withDelay(Duration.ofMillis(200)));

            long start = System.nanoTime();
            byte[] echoed = roundTrip(client, sent);
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            assertThat(Arrays.equals(echoed, sent)).isTrue();
            // If the proxy could buffer only 64 KiB, the transfer would take 25 s.
            assertThat(took).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20));
        }
    }

    @Test
    void transferIsNoFasterThanTheLimitOfBytesPerSecond() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.faults(TO_CLIENT, Faults.NONE.withBytesPerSecond(500_000));

            long start = System.nanoTime();
            roundTrip(client, new byte[100_000]);
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            assertThat(took).isBetween(Duration.ofMillis(190), TIMEOUT);
        }
    }

    @Test
    void stalledDirectionForwardsNoBytesUntilTheTestResumesIt() throws Exception {
        byte[] sent = bytes(1_000_000);
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.stall(TO_CLIENT);
            CompletableFuture<byte[]> echoed = inBackground(() -> roundTrip(client, sent));
            proxy.awaitForwarded(TO_SERVER, 100_000, TIMEOUT);

            long forwardedWhileStalled = proxy.forwardedBytes(TO_CLIENT);
            proxy.resume(TO_CLIENT);

            assertThat(forwardedWhileStalled).isZero();
            assertThat(Arrays.equals(echoed.get(50, TimeUnit.SECONDS), sent)).isTrue();
        }
    }

    @Test
    void senderToAStalledDirectionBlocksWhenTheBuffersAreFull() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.stall(TO_SERVER);
            CompletableFuture<Integer> endless = inBackground(() -> {
                while (true) {
                    client.getOutputStream().write(new byte[1 << 20]);
                }
            });

            assertThatThrownBy(() -> endless.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            proxy.disconnectAll(ConnectionEnd.RESET);

            assertThatThrownBy(() -> endless.get(50, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketException.class);
        }
    }

    @Test
    void faultsApplyToLaterConnectionsToo() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            proxy.stall(TO_SERVER);
            try (Socket client = connect(proxy)) {
                client.setSoTimeout(30);
                client.getOutputStream().write(1);

                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            }
        }
    }

    @Test
    void halfCloseIsForwarded() throws Exception {
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server);
                Socket client = connect(proxy)) {
            proxy.faults(Faults.NONE.withDelay(Duration.ofMillis(10)));
            client.getOutputStream().write("last words".getBytes(UTF_8));
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("last words");
            proxy.awaitOpen(0, TIMEOUT);
        }
    }

    @Test
    void resetByTheServerIsForwardedAfterTheBytesThatTheServerSentBefore() throws Exception {
        try (FakeRedis server = FakeRedis.start(command -> Answer.cut("+OK\r\n", 3, ConnectionEnd.RESET));
                FaultProxy proxy = FaultProxy.inFrontOf(server.host(), server.port());
                Socket client = connect(proxy)) {
            proxy.faults(TO_CLIENT, Faults.NONE.withDelay(Duration.ofMillis(20)));
            client.getOutputStream().write("*1\r\n$4\r\nPING\r\n".getBytes(UTF_8));

            assertThat(client.getInputStream().readNBytes(3)).asString(UTF_8).isEqualTo("+OK");
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void closeOrResetByTheClientIsForwardedToTheServer() throws Exception {
        try (FakeRedis server = FakeRedis.start(command -> Answer.noReply());
                FaultProxy proxy = FaultProxy.inFrontOf(server.host(), server.port())) {
            connect(proxy).close();
            Socket resetting = connect(proxy);
            proxy.awaitAccepted(2, TIMEOUT);
            Sockets.reset(resetting);

            server.awaitDisconnections(2, TIMEOUT);
            proxy.awaitOpen(0, TIMEOUT);
            assertThat(proxy.acceptedConnections()).isEqualTo(2);
        }
    }

    @Test
    void bytesOfManyConnectionsAreNotMixedWhileFaultsChange() throws Exception {
        long seed = System.nanoTime();
        System.out.println("changingFaults seed: " + seed);
        Random random = new Random(seed);
        try (EchoServer server = new EchoServer();
                FaultProxy proxy = inFrontOf(server)) {
            List<CompletableFuture<Integer>> conversations = random.ints(8)
                    .limit(8)
                    .mapToObj(conversation -> inBackground(() -> wrongEchoes(proxy, new Random(conversation))))
                    .toList();
            while (!conversations.stream().allMatch(CompletableFuture::isDone)) {
                proxy.faults(random.nextBoolean() ? TO_SERVER : TO_CLIENT, anyFaults(random));
                LockSupport.parkNanos(500_000);
            }

            assertThat(conversations)
                    .allSatisfy(conversation -> assertThat(conversation.get()).isZero());
        }
    }

    private static Faults anyFaults(Random random) {
        return new Faults(
                Duration.ofNanos(random.nextInt(1_000_000)),
                random.nextBoolean() ? Long.MAX_VALUE : 5_000_000,
                1 + random.nextInt(1000),
                random.nextInt(4) == 0);
    }

    private static int wrongEchoes(FaultProxy proxy, Random random) throws Exception {
        int wrong = 0;
        try (Socket client = connect(proxy)) {
            for (int i = 0; i < 20; i++) {
                byte[] sent = new byte[1 + random.nextInt(5000)];
                random.nextBytes(sent);
                wrong += Arrays.equals(roundTrip(client, sent), sent) ? 0 : 1;
            }
        }
        return wrong;
    }

    static FaultProxy inFrontOf(EchoServer server) {
        return FaultProxy.inFrontOf(server.host(), server.port());
    }

    static Socket connect(FaultProxy proxy) throws IOException {
        Socket socket = new Socket(proxy.host(), proxy.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    /**
     * Writes the bytes {@code sent} in another thread. At the same time reads the same number of bytes, and returns
     * them.
     */
    static byte[] roundTrip(Socket client, byte[] sent) throws Exception {
        CompletableFuture<Boolean> written = inBackground(() -> {
            client.getOutputStream().write(sent);
            return true;
        });
        byte[] echoed = client.getInputStream().readNBytes(sent.length);
        written.get(50, TimeUnit.SECONDS);
        return echoed;
    }

    static <T> CompletableFuture<T> inBackground(Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                result.complete(action.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}
