// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.Eventually;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that speak to an echo and do not listen: their replies fill the sockets, then the proxy, then all the way back. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
class LatencyProxyLimitsTest {

    private static final int DEAF_CLIENTS = 3;
    private static final int PIECE_BYTES = 64 * 1024;
    private static final long STUCK_NANOS = Duration.ofMillis(300).toNanos();
    private static final Limits LIMITS = new Limits(512 * 1024, 1024 * 1024);
    private static final long MOST_BYTES =
            LIMITS.allBytes() + (2 * DEAF_CLIENTS + 2) * (DelayLine.FLOOR_BYTES + DelayLine.OVERHEAD_BYTES);

    @Test
    void clientsThatDoNotReadFillNoMoreThanTheLimitAndOthersStillFlow() throws Exception {
        try (var echo = Echo.start();
                var proxy = LatencyProxy.start(echo.address(), Duration.ofMillis(2), Duration.ZERO, LIMITS)) {
            var speakers = deafClients(proxy);
            awaitAllStuck(speakers, proxy);
            long held = proxy.heldBytes();
            long cpuNanosBefore = cpuNanos("millrace-lab-proxy");
            awaitAllStuck(speakers, proxy);
            long cpuNanosOfWaiting = cpuNanos("millrace-lab-proxy") - cpuNanosBefore;

            try (var pings = new Pings(new InetSocketAddress(proxy.host(), proxy.port()))) {
                pings.ping(20);
            }
            for (var speaker : speakers) {
                speaker.listen();
            }

            assertThat(cpuNanosOfWaiting).isLessThan(STUCK_NANOS / 4);
            assertThat(held).isBetween(LIMITS.allBytes() / 2, MOST_BYTES);
            assertThat(speakers).allSatisfy(speaker -> assertThat(speaker.heard).isEqualTo(speaker.said.get()));
            Eventually.holds(() -> proxy.heldBytes() == 0);
        }
    }

    private static List<Speaker> deafClients(LatencyProxy proxy) throws IOException {
        var speakers = new ArrayList<Speaker>();
        for (int i = 0; i < DEAF_CLIENTS; i++) {
            speakers.add(new Speaker(new Socket(proxy.host(), proxy.port())));
        }
        return speakers;
    }

    /** Until none could say anything for a while, which is when everything between is full. */
    private static void awaitAllStuck(List<Speaker> speakers, LatencyProxy proxy) {
        var last = new AtomicLong(-1);
        var since = new AtomicLong(System.nanoTime());
        Eventually.holds(() -> {
            assertThat(proxy.heldBytes()).isLessThanOrEqualTo(MOST_BYTES);
            long said =
                    speakers.stream().mapToLong(speaker -> speaker.said.get()).sum();
            if (said != last.getAndSet(said)) {
                since.set(System.nanoTime());
            }
            return System.nanoTime() - since.get() > STUCK_NANOS;
        });
    }

    private static long cpuNanos(String threadPrefix) {
        var threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(threadPrefix))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.threadId()))
                .sum();
    }

    /** Speaks on a thread of its own until it is told to listen. */
    private static final class Speaker {

        private final AtomicLong said = new AtomicLong();
        private final Socket socket;
        private final Thread thread;
        private volatile boolean enough;
        private long heard;

        Speaker(Socket socket) {
            this.socket = socket;
            this.thread = Thread.ofPlatform().name("millrace-test-speaker").start(this::speak);
        }

        private void speak() {
            try {
                while (!enough) {
                    socket.getOutputStream().write(new byte[PIECE_BYTES]);
                    said.addAndGet(PIECE_BYTES);
                }
                socket.shutdownOutput();
            } catch (IOException e) {
                // The test then finds fewer received bytes than sent bytes.
            }
        }

        void listen() throws Exception {
            enough = true;
            try (socket) {
                heard = socket.getInputStream().readAllBytes().length;
            }
            thread.join();
        }
    }
}
