// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.SelfDescribingCaller.Tally;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.AccountCheck;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
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

/** Very many commands of many callers over few connections, with everything that can go wrong for a single one of them. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class AttributionTest {

    private static final int CALLERS = 64;
    private static final int COMMANDS = Integer.getInteger("millrace.commands", 2_000_000);

    /** Keeps the server from everything else for a moment: some milliseconds. */
    private static final String BUSY = "for i = 1, 1000000 do end";

    private static EmbeddedRedis server;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final AccountCheck accounts = new AccountCheck();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final Tally tally = new Tally();

    /** How often all connections were ended. */
    private int cuts;

    /** What is done to the connections, each time so many more commands were issued. */
    private record Trouble(int every, Runnable what) {}

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
    void aReplyNeverReachesAnotherCaller() throws Exception {
        try (RawConnection control = RawConnection.open(server.host(), server.port(), 3);
                RedisClient client = connect(server.host(), server.port(), 1)) {
            Trouble busy = new Trouble(COMMANDS / 500, () -> control.run(Command.of("EVAL", BUSY, 0)));
            Trouble kill = new Trouble(COMMANDS / 25, () -> {
                cuts++;
                control.run(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            });

            runCallers(client, COMMANDS, List.of(busy, kill));

            check(client, COMMANDS);
        }
    }

    @Test
    void aReplyNeverReachesAnotherCallerOverANetworkThatDelaysSplitsAndCuts() throws Exception {
        int commands = COMMANDS / 20;
        try (FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port(), 2)) {
            network.faults(Direction.TO_CLIENT, Faults.NONE.withWriteBytes(997));
            network.faults(Direction.TO_SERVER, Faults.NONE.withWriteBytes(61));
            Faults slow = Faults.NONE.withWriteBytes(997).withDelay(Duration.ofMillis(3));
            Trouble delay = new Trouble(commands / 40, () -> network.faults(Direction.TO_CLIENT, slow));
            Trouble recover = new Trouble(
                    commands / 39, () -> network.faults(Direction.TO_CLIENT, Faults.NONE.withWriteBytes(997)));
            Trouble reset = new Trouble(commands / 12, () -> cut(network, Ending.RESET));
            Trouble close = new Trouble(commands / 11, () -> cut(network, Ending.CLOSE));

            runCallers(client, commands, List.of(delay, recover, reset, close));

            check(client, commands);
        }
    }

    private void cut(FaultProxy network, Ending ending) {
        cuts++;
        network.disconnectAll(ending);
    }

    private void runCallers(RedisClient client, int commands, List<Trouble> troubles) throws Exception {
        System.out.println("seed: " + seed);
        accounts.watch("client", () -> AccountFigures.of(client.counts()));
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < CALLERS; number++) {
            threads.add(Thread.ofVirtual()
                    .start(new SelfDescribingCaller(client, number, commands / CALLERS, seed, tally)));
        }
        long[] made = new long[troubles.size()];
        while (threads.stream().anyMatch(Thread::isAlive)) {
            for (int i = 0; i < made.length; i++) {
                if (tally.issued.sum() / troubles.get(i).every > made[i]) {
                    made[i]++;
                    troubles.get(i).what.run();
                }
            }
            LockSupport.parkNanos(200_000);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(tally + ", " + client.account());
    }

    private void check(RedisClient client, int commands) {
        awaitIdle(client);
        CommandCounts counts = client.counts();
        long abandoned = tally.of(Fate.ABANDONED);
        long lost = tally.of(Fate.LOST_SENT) + tally.of(Fate.LOST_UNSENT);

        assertThat(tally.wrong).isEmpty();
        assertThat(tally.issued.sum()).isGreaterThanOrEqualTo(commands / CALLERS * (long) CALLERS);
        assertThat(counts.submitted()).isEqualTo(tally.issued.sum());
        // What became of the abandoned ones only the client knows.
        assertThat(counts.ok() - tally.of(Fate.OK)).isBetween(0L, abandoned);
        assertThat(counts.timedOut() - tally.of(Fate.TIMED_OUT)).isBetween(0L, abandoned);
        assertThat(counts.lost() - lost).isBetween(0L, abandoned);
        assertThat(counts.refused()).isGreaterThanOrEqualTo(tally.of(Fate.REFUSED));
        assertThat(counts.error()).isZero();
        assertThat(counts.pending()).isZero();
        assertThat(List.of(tally.of(Fate.OK), tally.of(Fate.TIMED_OUT), lost, abandoned))
                .as("a run that says something: %s", tally)
                .allMatch(count -> count > 0);
        // Nobody but this test ends a connection.
        assertThat(client.account().reconnections())
                .isBetween(1L, (long) cuts * client.account().connections().size());
        assertThat(client.account().lateReplies()).isPositive();
    }

    /** Replies may be owed still to commands that have timed out. */
    private static void awaitIdle(RedisClient client) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (taken(client) != 0 && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(taken(client)).as("%s", client.account()).isZero();
    }

    private static long taken(RedisClient client) {
        return client.account().connections().stream()
                .mapToLong(connection -> Math.abs(connection.inFlight()) + Math.abs(connection.bytesInFlight()))
                .sum();
    }

    private static RedisClient connect(String host, int port, int connections) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(host, port))
                .connections(connections)
                .inFlight(1_024)
                .commandTimeout(Duration.ofSeconds(30))
                .build());
    }
}
