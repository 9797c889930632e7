// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CountingCaller.Ledger;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Runs a client for a long time with all faults of its servers: lost connections, replies above the limit, failovers to
 * the replica, restarts of servers, and changed passwords. At the end, the stats of the client, the results of the
 * callers and the data of the server agree exactly.
 */
@ExtendWith(NoThreadLeft.class)
class EveryFaultTest {

    private static final int CALLERS = 16;
    private static final int COMMANDS = Integer.getInteger("millrace.faultCommands", 30_000);
    private static final int FAULTS = Integer.getInteger("millrace.faults", 10);

    /** Limit of a reply; see {@link CountingCaller}. */
    private static final int LIMIT = 16 * 1024;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Ledger ledger = new Ledger();
    private final Map<String, Integer> faults = new TreeMap<>();

    /** The password that the client uses. Written by the test's thread; read by the threads that log in. */
    private volatile String password = "secret-0";

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void statsOfTheClientResultsOfTheCallersAndDataOfTheServerAgree() throws Exception {
        System.out.println("seed: " + seed);
        try (ReplicatedServers servers = ReplicatedServers.start()) {
            servers.setPassword(password);
            servers.primary().call(Strings.set(CountingCaller.POISON, "x".repeat(2 * LIMIT)));
            try (RedisClient client = clients.connect(options(servers))) {
                List<CountingCaller> callers = runCallers(client, servers);
                System.out.println(ledger + ", " + faults + ", " + client.stats());

                assertThat(ledger.wrong).isEmpty();
                assertThat(callers)
                        .allSatisfy(caller -> assertThat(caller.allows(counter(servers.primary(), caller.key())))
                                .as("%s, counter=%s", caller, counter(servers.primary(), caller.key()))
                                .isTrue());
                checkCounts(client.counts());
            }
        }
    }

    private ClientOptions options(ReplicatedServers servers) {
        return servers.options()
                .credentials(() -> Credentials.of(ReplicatedServers.USER, password))
                .connections(2)
                .inFlight(256)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(20))
                .replyLimits(ReplyLimits.DEFAULT.withBulkBytes(LIMIT))
                .build();
    }

    private List<CountingCaller> runCallers(RedisClient client, ReplicatedServers servers) throws Exception {
        List<CountingCaller> callers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < CALLERS; number++) {
            callers.add(new CountingCaller(client, number, COMMANDS / CALLERS, seed, ledger));
            Thread.Builder builder = number % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(builder.start(callers.get(number)));
        }
        for (int fault = 1; threads.stream().anyMatch(Thread::isAlive); LockSupport.parkNanos(500_000)) {
            if (ledger.issued.sum() > (long) fault * COMMANDS / (FAULTS + 1)) {
                inject(client, servers, fault++);
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return callers;
    }

    private void inject(RedisClient client, ReplicatedServers servers, int number) {
        // The first faults are all different, so that a short run has each of them.
        int kind = number <= 5 ? number : 1 + random.nextInt(5);
        switch (kind) {
            case 1 -> record("cut", servers::cutConnections);
            case 2 -> record("failover", servers::changeRoles);
            case 3 -> record("password renewed", () -> renewPassword(client, servers));
            case 4 -> record("password replaced", () -> replacePassword(servers));
            default ->
                record("restart", () -> {
                    // The client is connected to the server that restarts.
                    servers.changeRoles();
                    servers.restartReplica();
                    servers.setPassword(password);
                });
        }
    }

    private void record(String name, Runnable fault) {
        fault.run();
        faults.merge(name, 1, Integer::sum);
    }

    /** The usual rotation: the server accepts both passwords until the client uses the new password. */
    private void renewPassword(RedisClient client, ReplicatedServers servers) {
        String old = password;
        password = "secret-" + random.nextInt();
        servers.addPassword(password);
        client.renewLogin();
        servers.removePassword(old);
    }

    /** The server accepts only the new password, and the client still uses the old password for its next login. */
    private void replacePassword(ReplicatedServers servers) {
        String next = "secret-" + random.nextInt();
        servers.setPassword(next);
        servers.cutConnections();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        password = next;
    }

    private void checkCounts(CommandCounts counts) {
        assertThat(counts.submitted()).isEqualTo(ledger.issued.sum());
        assertThat(counts.ok()).isEqualTo(ledger.of(CommandFate.OK));
        assertThat(counts.error()).isEqualTo(ledger.of(CommandFate.ERROR));
        assertThat(counts.timedOut()).isEqualTo(ledger.of(CommandFate.TIMED_OUT));
        assertThat(counts.refused()).isEqualTo(ledger.of(CommandFate.REFUSED));
        assertThat(counts.lost())
                .isEqualTo(ledger.of(CommandFate.LOST_SENT) + ledger.of(CommandFate.LOST_UNSENT))
                .isPositive();
        assertThat(counts.pending()).isZero();
        assertThat(faults).hasSize(5);
    }

    private static long counter(RedisClient server, String key) {
        return server.call(Strings.get(key)).map(Long::parseLong).orElse(0L);
    }
}
