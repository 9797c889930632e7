// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs ten times as many callers as the window has permits, and pauses the server for a while. This is a separate
 * program that runs with a small heap:
 * {@code StalledServerRun <pause in milliseconds> <command timeout in milliseconds> <measured>}.
 *
 * <p>If {@code measured} is true, the number of commands per second must return to half of its earlier value within two
 * seconds after the pause. This check needs an idle machine. If {@code measured} is false, the program only checks that
 * commands succeed again.
 */
final class StalledServerRun {

    private static final int IN_FLIGHT = 2_000;
    private static final long IN_FLIGHT_BYTES = 4L << 20;
    private static final int CALLERS = 10 * IN_FLIGHT;
    private static final byte[] VALUE = new byte[1_024];

    /** Time at full rate before the pause. */
    private static final Duration WARM_UP = Duration.ofMillis(1_500);

    /** After the pause, half of the earlier rate must be reached within this time, even if the client reconnects. */
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(2);

    /**
     * The default connect timeout of the client. If a paused server does not answer a connect attempt, the client waits
     * this long before its next attempt.
     */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final EmbeddedRedis server;
    private final RedisClient client;
    private volatile boolean over;

    private StalledServerRun(EmbeddedRedis server, RedisClient client) {
        this.server = server;
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        Duration stall = Duration.ofMillis(Long.parseLong(arguments[0]));
        Duration timeout = Duration.ofMillis(Long.parseLong(arguments[1]));
        boolean measured = Boolean.parseBoolean(arguments[2]);
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .inFlight(IN_FLIGHT)
                                .connectTimeout(measured ? CONNECT_TIMEOUT : WatchedClients.TIMEOUT)
                                .inFlightBytes(IN_FLIGHT_BYTES)
                                .commandTimeout(timeout)
                                .build())) {
            new StalledServerRun(server, client).run(stall, timeout, measured);
        }
    }

    private void run(Duration stall, Duration timeout, boolean measured) throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String key = "k" + i;
            callers.add(Thread.ofVirtual().start(() -> set(key)));
        }
        long before = 0;
        if (measured) {
            before = bestRate(WARM_UP);
        } else {
            awaitOk(CALLERS);
        }

        server.pause();
        long maxOk = client.counts().ok() + IN_FLIGHT;
        watch(stall);
        assertThat(client.counts().ok()).as("while the server is paused").isLessThanOrEqualTo(maxOk);
        server.resume();

        if (measured) {
            checkRecoveredRate(before);
        } else {
            awaitOk(client.counts().ok() + CALLERS);
        }
        over = true;
        for (Thread caller : callers) {
            caller.join();
        }
        check(timeout.compareTo(stall) > 0);
    }

    private void awaitOk(long count) {
        Eventually.await(
                count + " commands have succeeded", () -> client.counts().ok() >= count);
    }

    private void checkRecoveredRate(long before) {
        long resumed = System.nanoTime();
        long after = rateOf(INTERVAL);
        while (after < before / 2 && System.nanoTime() - resumed < RECOVERY_LIMIT.toNanos()) {
            after = rateOf(INTERVAL);
        }
        System.out.printf(
                "commands/s before=%d, after=%d, after %d ms; %s%n",
                before, after, (System.nanoTime() - resumed) / 1_000_000, client.stats());
        assertThat(after).as("commands/s, of %d before", before).isGreaterThanOrEqualTo(before / 2);
    }

    private void set(String key) {
        while (!over) {
            CommandFate commandFate = CallMode.call(client, Command.of(Strings.SET, key, VALUE));
            if (commandFate == CommandFate.ERROR) {
                throw new AssertionError("the server refused a SET");
            }
        }
    }

    /**
     * Runs for the time {@code stall}, in which many callers wait. Checks that the number of commands in flight and the
     * number of their bytes stay within their limits.
     */
    private void watch(Duration stall) {
        for (long end = System.nanoTime() + stall.toNanos(); System.nanoTime() - end < 0; ) {
            ConnectionStats stats = client.stats().connections().getFirst();
            assertThat(stats.inFlight()).isBetween(0, IN_FLIGHT);
            assertThat(stats.bytesInFlight()).isBetween(0L, IN_FLIGHT_BYTES);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private long bestRate(Duration during) {
        long best = 0;
        for (long end = System.nanoTime() + during.toNanos(); System.nanoTime() - end < 0; ) {
            best = Math.max(best, rateOf(INTERVAL));
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

    private void check(boolean allExecuted) {
        CommandCounts counts = client.counts();
        assertThat(counts.pending()).isZero();
        assertThat(counts.ok()).isPositive();
        if (allExecuted) {
            assertThat(counts.ok()).isEqualTo(counts.submitted());
            assertThat(client.stats().reconnections()).isZero();
        } else {
            assertThat(counts.timedOut()).isPositive();
            assertThat(counts.refused()).isPositive();
        }
        Eventually.await("all permits are free", () -> {
            ConnectionStats stats = client.stats().connections().getFirst();
            return stats.inFlight() == 0 && stats.bytesInFlight() == 0;
        });
    }
}
