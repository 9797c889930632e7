// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Ten times as many callers as may be in flight, and a server that stands still for a while. A program of its own, for a small
 * heap: {@code StallRun <milliseconds of standing still> <command timeout in milliseconds>}.
 */
final class StallRun {

    private static final int IN_FLIGHT = 2_000;
    private static final long IN_FLIGHT_BYTES = 4L << 20;
    private static final int CALLERS = 10 * IN_FLIGHT;
    private static final byte[] VALUE = new byte[1_024];

    /** At full speed before, and again after; a reconnect must not take longer than the second. */
    private static final Duration AT_SPEED = Duration.ofMillis(1_500);

    private static final Duration BACK_WITHIN = Duration.ofSeconds(2);

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    private final EmbeddedRedis server;
    private final RedisClient client;
    private volatile boolean over;

    private StallRun(EmbeddedRedis server, RedisClient client) {
        this.server = server;
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        Duration stall = Duration.ofMillis(Long.parseLong(arguments[0]));
        Duration timeout = Duration.ofMillis(Long.parseLong(arguments[1]));
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .inFlight(IN_FLIGHT)
                                .inFlightBytes(IN_FLIGHT_BYTES)
                                .commandTimeout(timeout)
                                .build())) {
            new StallRun(server, client).run(stall, timeout);
        }
    }

    private void run(Duration stall, Duration timeout) throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String key = "k" + i;
            callers.add(Thread.ofVirtual().start(() -> set(key)));
        }
        long before = bestRate(AT_SPEED);

        server.pause();
        long okAtMost = client.counts().ok() + IN_FLIGHT;
        watch(stall);
        assertThat(client.counts().ok()).as("while it stood still").isLessThanOrEqualTo(okAtMost);
        server.resume();

        long resumed = System.nanoTime();
        long after = rateOf(LOOK_EVERY);
        while (after < before / 2 && System.nanoTime() - resumed < BACK_WITHIN.toNanos()) {
            after = rateOf(LOOK_EVERY);
        }
        System.out.printf(
                "commands/s before=%d, after=%d, after %d ms; %s%n",
                before, after, (System.nanoTime() - resumed) / 1_000_000, client.account());
        assertThat(after).as("commands/s, of %d before", before).isGreaterThanOrEqualTo(before / 2);
        over = true;
        for (Thread caller : callers) {
            caller.join();
        }
        check(timeout.compareTo(stall) > 0);
    }

    private void set(String key) {
        while (!over) {
            Fate fate = Way.call(client, Command.of(Strings.SET, key, VALUE));
            if (fate == Fate.ERROR) {
                throw new AssertionError("the server refused a SET");
            }
        }
    }

    /** What is in flight stays within its limits, whoever else wants to be. */
    private void watch(Duration stall) {
        for (long end = System.nanoTime() + stall.toNanos(); System.nanoTime() - end < 0; ) {
            ConnectionAccount account = client.account().connections().getFirst();
            assertThat(account.inFlight()).isBetween(0, IN_FLIGHT);
            assertThat(account.bytesInFlight()).isBetween(0L, IN_FLIGHT_BYTES);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private long bestRate(Duration during) {
        long best = 0;
        for (long end = System.nanoTime() + during.toNanos(); System.nanoTime() - end < 0; ) {
            best = Math.max(best, rateOf(LOOK_EVERY));
        }
        return best;
    }

    private long rateOf(Duration during) {
        long begin = System.nanoTime();
        long ok = client.counts().ok();
        for (long left = during.toNanos(); left > 0; left = begin + during.toNanos() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return (client.counts().ok() - ok) * 1_000_000_000L / (System.nanoTime() - begin);
    }

    private void check(boolean patient) {
        CommandCounts counts = client.counts();
        assertThat(counts.pending()).isZero();
        assertThat(counts.ok()).isPositive();
        if (patient) {
            assertThat(counts.ok()).isEqualTo(counts.submitted());
            assertThat(client.account().reconnections()).isZero();
        } else {
            assertThat(counts.timedOut()).isPositive();
            assertThat(counts.refused()).isPositive();
        }
        Eventually.await("no place is taken", () -> {
            ConnectionAccount account = client.account().connections().getFirst();
            return account.inFlight() == 0 && account.bytesInFlight() == 0;
        });
    }
}
