// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.SelfDescribingCaller.CallerStats;
import io.millrace.client.command.Command;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Many callers send many commands over few connections. Some commands time out, some are cancelled or interrupted, and
 * some lose their connection. Each caller must receive only replies to its own commands.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReplyAttributionTest {

    private static final int CALLERS = 64;
    private static final int COMMANDS = Integer.getInteger("millrace.commands", 200_000);

    /** A Lua script that keeps the server busy for some milliseconds. */
    private static final String BUSY = "for i = 1, 1000000 do end";

    private static EmbeddedRedis server;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final CallerStats callerStats = new CallerStats();

    /** Number of times that the test has closed all connections. */
    private int cuts;

    /**
     * An action that disturbs the server or the connections. The action runs once per {@code every} submitted commands.
     */
    private record Disturbance(int every, Runnable action) {}

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void replyNeverReachesAnotherCaller() throws Exception {
        try (RawConnection control = RawConnection.open(server.host(), server.port(), 3);
                RedisClient client = connect(server.host(), server.port(), 1)) {
            Disturbance busy = new Disturbance(4_000, () -> control.run(Command.of("EVAL", BUSY, 0)));
            Disturbance kill = new Disturbance(COMMANDS / 25, () -> {
                cuts++;
                control.run(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            });

            runCallers(client, COMMANDS, List.of(busy, kill));

            check(client, COMMANDS);
        }
    }

    @Test
    void replyNeverReachesAnotherCallerOverAFaultyNetwork() throws Exception {
        int commands = COMMANDS / 10;
        try (FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port(), 2)) {
            network.faults(Direction.TO_CLIENT, Faults.NONE.withWriteBytes(997));
            network.faults(Direction.TO_SERVER, Faults.NONE.withWriteBytes(61));
            Faults slow = Faults.NONE.withWriteBytes(997).withDelay(Duration.ofMillis(3));
            Disturbance delay = new Disturbance(commands / 40, () -> network.faults(Direction.TO_CLIENT, slow));
            Disturbance recover = new Disturbance(
                    commands / 39, () -> network.faults(Direction.TO_CLIENT, Faults.NONE.withWriteBytes(997)));
            Disturbance reset = new Disturbance(commands / 12, () -> cut(network, ConnectionEnd.RESET));
            Disturbance close = new Disturbance(commands / 11, () -> cut(network, ConnectionEnd.CLOSE));

            runCallers(client, commands, List.of(delay, recover, reset, close));

            check(client, commands);
        }
    }

    private void cut(FaultProxy network, ConnectionEnd connectionEnd) {
        cuts++;
        network.disconnectAll(connectionEnd);
    }

    private void runCallers(RedisClient client, int commands, List<Disturbance> troubles) throws Exception {
        System.out.println("seed: " + seed);
        stats.watch("client", () -> StatsAdapter.of(client.counts()));
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < CALLERS; number++) {
            threads.add(Thread.ofVirtual()
                    .start(new SelfDescribingCaller(client, number, commands / CALLERS, seed, callerStats)));
        }
        long[] made = new long[troubles.size()];
        while (threads.stream().anyMatch(Thread::isAlive)) {
            for (int i = 0; i < made.length; i++) {
                if (callerStats.issued.sum() / troubles.get(i).every > made[i]) {
                    made[i]++;
                    troubles.get(i).action.run();
                }
            }
            LockSupport.parkNanos(200_000);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(callerStats + ", " + client.stats());
    }

    private void check(RedisClient client, int commands) {
        awaitIdle(client);
        CommandCounts counts = client.counts();
        long abandoned = callerStats.of(CommandFate.ABANDONED);
        long lost = callerStats.of(CommandFate.LOST_SENT) + callerStats.of(CommandFate.LOST_UNSENT);

        assertThat(callerStats.wrong).isEmpty();
        assertThat(callerStats.issued.sum()).isGreaterThanOrEqualTo(commands / CALLERS * (long) CALLERS);
        assertThat(counts.submitted()).isEqualTo(callerStats.issued.sum());
        // The callers do not know the outcomes of abandoned commands. Only the client counts these outcomes.
        assertThat(counts.ok() - callerStats.of(CommandFate.OK)).isBetween(0L, abandoned);
        assertThat(counts.timedOut() - callerStats.of(CommandFate.TIMED_OUT)).isBetween(0L, abandoned);
        assertThat(counts.lost() - lost).isBetween(0L, abandoned);
        assertThat(counts.refused()).isGreaterThanOrEqualTo(callerStats.of(CommandFate.REFUSED));
        assertThat(counts.error()).isZero();
        assertThat(counts.pending()).isZero();
        assertThat(List.of(callerStats.of(CommandFate.OK), callerStats.of(CommandFate.TIMED_OUT), lost, abandoned))
                .as("each outcome occurs: %s", callerStats)
                .allMatch(count -> count > 0);
        // The client reconnects only after this test has closed connections. So the number of reconnections has an
        // upper limit.
        assertThat(client.stats().reconnections())
                .isBetween(1L, (long) cuts * client.stats().connections().size());
        assertThat(client.stats().lateReplies()).isPositive();
    }

    /** Waits for the replies to commands that have timed out. */
    private static void awaitIdle(RedisClient client) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (taken(client) != 0 && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(taken(client)).as("%s", client.stats()).isZero();
    }

    private static long taken(RedisClient client) {
        return client.stats().connections().stream()
                .mapToLong(connection -> Math.abs(connection.inFlight()) + Math.abs(connection.bytesInFlight()))
                .sum();
    }

    private static RedisClient connect(String host, int port, int connections) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(host, port))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(connections)
                .inFlight(1_024)
                .commandTimeout(Duration.ofSeconds(60))
                .build());
    }
}
