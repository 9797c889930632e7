// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.Eventually;
import io.millrace.lab.run.LabException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
class LatencyProxyTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(4);
    private static final int CONNECTIONS = 60;

    @Test
    void roundTripIsNeverShorterThanAsked() throws Exception {
        try (var echo = Echo.start();
                var proxy = startProxy(echo.address(), ROUND_TRIP);
                var pings = new Pings(address(proxy))) {
            pings.ping(50);

            assertThat(pings.quantile(0)).isGreaterThanOrEqualTo(ROUND_TRIP);
        }
    }

    @Test
    void openingAConnectionCostsARoundTripMore() throws Exception {
        try (var echo = Echo.start();
                var proxy = startProxy(echo.address(), ROUND_TRIP)) {
            long from = System.nanoTime();
            try (var pings = new Pings(address(proxy))) {
                pings.ping(1);
            }
            var taken = Duration.ofNanos(System.nanoTime() - from);

            assertThat(taken).isGreaterThanOrEqualTo(ROUND_TRIP.multipliedBy(2));
        }
    }

    @Test
    void proxyMeasuresWhatItCostsAndTakesItOffTheDelay() {
        try (var proxy = LatencyProxy.start("127.0.0.1", 1, ROUND_TRIP)) {
            var accuracy = proxy.accuracy(10);

            assertThat(proxy.correction()).isBetween(Duration.ZERO, Duration.ofNanos(300_000));
            assertThat(accuracy.through()).isGreaterThanOrEqualTo(ROUND_TRIP.minus(proxy.correction()));
            assertThat(accuracy.error())
                    .isEqualTo(accuracy.through().minus(accuracy.direct()).minus(ROUND_TRIP));
            assertThat(accuracy.throughLow()).isLessThanOrEqualTo(accuracy.through());
            assertThat(accuracy.throughHigh()).isGreaterThanOrEqualTo(accuracy.through());
        }
    }

    @Test
    void bytesOfManyConnectionsArriveUnchangedAndInOrder() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        var limits = new Limits(Limits.LEAST_DIRECTION_BYTES, 8 * Limits.LEAST_DIRECTION_BYTES);
        try (var echo = Echo.start();
                var proxy = LatencyProxy.start(echo.address(), ROUND_TRIP, Duration.ZERO, limits);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var talks = threads.invokeAll(IntStream.range(0, CONNECTIONS)
                    .<Callable<Boolean>>mapToObj(i -> () -> echoes(address(proxy), new Random(seed + i)))
                    .toList());

            for (var talk : talks) {
                assertThat(talk.get()).isTrue();
            }
            awaitNothingHeld(proxy);
        }
    }

    /** Says random pieces, ends its output, and reads to the end: says whether it heard what it said. */
    private static boolean echoes(InetSocketAddress proxy, Random random) throws Exception {
        var said = new byte[200_000 + random.nextInt(600_000)];
        random.nextBytes(said);
        try (var socket = connect(proxy);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var speaking = threads.submit(() -> {
                for (int from = 0; from < said.length; ) {
                    int to = Math.min(said.length, from + 1 + random.nextInt(random.nextBoolean() ? 50 : 60_000));
                    socket.getOutputStream().write(said, from, to - from);
                    from = to;
                }
                socket.shutdownOutput();
                return true;
            });
            var heard = socket.getInputStream().readAllBytes();
            return speaking.get() && Arrays.equals(said, heard);
        }
    }

    @Test
    void endOfTheClientsStreamPassesThroughAndTheTargetMayStillSpeak() throws Exception {
        try (var pair = Pair.open(ROUND_TRIP)) {
            pair.client.getOutputStream().write('q');
            pair.client.shutdownOutput();

            var heardByTarget = pair.target.getInputStream().readAllBytes();
            pair.target.getOutputStream().write(text("answer"));
            pair.target.shutdownOutput();
            var heardByClient = pair.client.getInputStream().readAllBytes();

            assertThat(heardByTarget).isEqualTo(text("q"));
            assertThat(heardByClient).isEqualTo(text("answer"));
            Eventually.holds(() -> pair.proxy.connections() == 0);
        }
    }

    @Test
    void endOfTheTargetsStreamPassesThroughAndTheClientMayStillSpeak() throws Exception {
        try (var pair = Pair.open(ROUND_TRIP)) {
            pair.target.getOutputStream().write(text("bye"));
            pair.target.shutdownOutput();

            var heardByClient = pair.client.getInputStream().readAllBytes();
            pair.client.getOutputStream().write(text("last words"));
            pair.client.shutdownOutput();
            var heardByTarget = pair.target.getInputStream().readAllBytes();

            assertThat(heardByClient).isEqualTo(text("bye"));
            assertThat(heardByTarget).isEqualTo(text("last words"));
            Eventually.holds(() -> pair.proxy.connections() == 0);
        }
    }

    @Test
    void resetOfTheClientReachesTheTarget() throws Exception {
        try (var pair = Pair.open(ROUND_TRIP)) {
            pair.client.setSoLinger(true, 0);
            pair.client.close();

            assertThatThrownBy(() -> pair.target.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            Eventually.holds(() -> pair.proxy.connections() == 0);
        }
    }

    @Test
    void targetThatGoesWhileItIsWrittenToShowsAsAResetAndFreesWhatWasHeld() throws Exception {
        try (var pair = Pair.open(ROUND_TRIP)) {
            pair.target.setSoLinger(true, 0);
            pair.target.shutdownOutput();
            assertThat(pair.client.getInputStream().read()).isEqualTo(-1);
            pair.target.close();

            assertThatThrownBy(() -> {
                        while (true) {
                            pair.client.getOutputStream().write(new byte[10_000]);
                        }
                    })
                    .isInstanceOf(IOException.class);
            Eventually.holds(() -> pair.proxy.connections() == 0);
            awaitNothingHeld(pair.proxy);
        }
    }

    @Test
    void connectionIsClosedWhenTheTargetRefusesAndTheProxyGoesOn() throws Exception {
        InetSocketAddress nobody;
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) listener.getLocalSocketAddress();
        }
        try (var proxy = startProxy(nobody, ROUND_TRIP)) {
            for (int attempt = 0; attempt < 2; attempt++) {
                try (var client = connect(address(proxy))) {
                    assertThatThrownBy(() -> client.getInputStream().read())
                            .isInstanceOf(SocketException.class)
                            .hasMessageContaining("reset");
                }
            }
            Eventually.holds(() -> proxy.connections() == 0);
        }
    }

    @Test
    void closeEndsAllConnectionsWhateverIsOnItsWay() throws Exception {
        var clients = new ArrayList<Socket>();
        try (var echo = Echo.start()) {
            var proxy = startProxy(echo.address(), Duration.ofSeconds(20));
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(connect(address(proxy)));
            }
            Eventually.holds(() -> proxy.connections() == CONNECTIONS);

            proxy.close();

            assertThat(proxy.connections()).isZero();
            for (var client : clients) {
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
            assertThatThrownBy(() -> connect(address(proxy))).isInstanceOf(IOException.class);
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() -> LatencyProxy.start("127.0.0.1", 1, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("roundTrip must be 0 to 1 min: roundTrip=PT-0.000000001S");
        assertThatThrownBy(() -> new Limits(1, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("directionBytes must be 65536 to allBytes: directionBytes=1, allBytes=10");
        assertThatThrownBy(() -> LatencyProxy.start("no-such-host.invalid", 1, Duration.ZERO))
                .isInstanceOf(LabException.class)
                .hasMessage("the host is unknown: host=no-such-host.invalid, port=1. Check its spelling.");
    }

    /** A client and a target with a proxy between them, and one connection open all the way. */
    private record Pair(ServerSocket listener, LatencyProxy proxy, Socket client, Socket target)
            implements AutoCloseable {

        static Pair open(Duration roundTrip) throws IOException {
            var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            var proxy = startProxy((InetSocketAddress) listener.getLocalSocketAddress(), roundTrip);
            var client = connect(address(proxy));
            return new Pair(listener, proxy, client, listener.accept());
        }

        @Override
        public void close() throws IOException {
            target.close();
            client.close();
            proxy.close();
            listener.close();
        }
    }

    private static void awaitNothingHeld(LatencyProxy proxy) {
        Eventually.holds(() -> proxy.heldBytes() == 0);
    }

    private static LatencyProxy startProxy(InetSocketAddress target, Duration roundTrip) {
        return LatencyProxy.start(target, roundTrip, Duration.ZERO, Limits.STANDARD);
    }

    private static InetSocketAddress address(LatencyProxy proxy) {
        return new InetSocketAddress(proxy.host(), proxy.port());
    }

    private static Socket connect(InetSocketAddress proxy) throws IOException {
        return new Socket(proxy.getAddress(), proxy.getPort());
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
