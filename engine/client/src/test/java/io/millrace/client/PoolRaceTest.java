// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Many threads borrow connections and change the state of the connections. At the same time, threads are interrupted
 * and connections are killed. Each borrowed connection must have the default state and only one borrower, and the pool
 * must not lose a slot.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoolRaceTest {

    private static final int POOL = 4;
    private static final int BORROWERS = 48;
    private static final int ROUNDS = Integer.getInteger("millrace.poolRounds", 8);

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void borrowedConnectionAlwaysHasTheDefaultStateAndOnlyOneBorrower() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("borrowedConnectionAlwaysHasTheDefaultStateAndOnlyOneBorrower seed: " + seed);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger maxOpen = new AtomicInteger();
        try (RedisClient client = clients.connect(
                        uri(server), options -> options.poolSize(POOL).name("borrowers"));
                RedisClient admin = clients.connect(uri(server))) {
            Borrowers borrowers = new Borrowers(client);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < BORROWERS; i++) {
                Random random = new Random(seed + i);
                threads.add(Thread.ofVirtual().start(() -> borrowers.run(random)));
            }
            Thread killer = Thread.ofVirtual().start(() -> kill(admin, new Random(seed - 1), over));
            Thread counter = Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    maxOpen.accumulateAndGet(dedicated(client), Math::max);
                }
            });

            for (Thread thread : threads) {
                thread.join();
            }
            over.set(true);
            killer.join();
            counter.join();

            assertThat(borrowers.wrong).isEmpty();
            assertThat(borrowers.served).hasPositiveValue();
            assertThat(borrowers.lost).hasPositiveValue();
            assertThat(maxOpen.get()).isBetween(1, POOL);
            // The pool has lost no slot: the test can borrow one connection for each slot at the same time.
            List<DedicatedConnection> all = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                all.add(client.borrow());
            }
            all.forEach(DedicatedConnection::close);
            Eventually.await("the server sees only the pool and the shared connection", () -> seen(admin) <= POOL + 1);
        }
        assertThat(log.warnings())
                .noneMatch(line -> line.contains("never returned") || line.contains("with its client"));
    }

    private static int dedicated(RedisClient client) {
        return (int) client.stats().connections().stream()
                .filter(connection -> connection.kind() == ConnectionStats.Kind.DEDICATED && connection.open())
                .count();
    }

    private static long seen(RedisClient admin) {
        return clientList(admin)
                .filter(line -> line.contains("name=borrowers "))
                .count();
    }

    private static java.util.stream.Stream<String> clientList(RedisClient admin) {
        return admin.call(Command.of("CLIENT LIST").as(Replies::text)).lines();
    }

    /** Kills a dedicated connection every few milliseconds. */
    private static void kill(RedisClient admin, Random random, AtomicBoolean over) {
        while (!over.get()) {
            List<String> victims = clientList(admin)
                    .filter(line -> line.contains("name=borrowers "))
                    .skip(1)
                    .toList();
            if (!victims.isEmpty()) {
                String victim = victims.get(random.nextInt(victims.size()));
                admin.call(Command.of("CLIENT KILL", "ID", victim.substring(3, victim.indexOf(' '))));
            }
            admin.call(Lists.awaitLeft(Duration.ofMillis(10), "nothing"));
        }
    }

    private static final class Borrowers {

        private final RedisClient client;
        private final Set<Long> lent = ConcurrentHashMap.newKeySet();
        private final Set<String> wrong = ConcurrentHashMap.newKeySet();
        private final AtomicInteger served = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();

        Borrowers(RedisClient client) {
            this.client = client;
        }

        void run(Random random) {
            for (int round = 0; round < ROUNDS; round++) {
                try {
                    borrow(random);
                    served.incrementAndGet();
                } catch (ConnectionLostException | TimedOutException | InterruptedCommandException e) {
                    lost.incrementAndGet();
                } catch (RuntimeException e) {
                    wrong.add(e.toString());
                }
                Thread.interrupted();
            }
        }

        private void borrow(Random random) {
            try (DedicatedConnection connection = client.borrow()) {
                long id = connection.call(Server.clientId());
                if (!lent.add(id)) {
                    wrong.add("lent twice: " + id);
                }
                try {
                    use(connection, Long.toString(id), random);
                } finally {
                    lent.remove(id);
                }
            }
        }

        private void use(DedicatedConnection connection, String id, Random random) {
            String key = "own:" + id;
            String state = connection.call(Command.of("CLIENT INFO").as(Replies::text));
            if (!state.contains(" db=0 ") || !state.contains(" multi=-1 ") || !state.contains(" flags=N ")) {
                wrong.add("not clean: " + state);
            }
            switch (random.nextInt(8)) {
                case 0 -> connection.call(Command.of("SELECT", 1));
                case 1 -> connection.call(Transactions.watch(key));
                case 2 -> connection.call(Command.of("CLIENT TRACKING", "ON"));
                case 3 -> connection.call(Command.of("BLPOP", key, 0).within(Duration.ofMillis(5)));
                case 4 -> {
                    Thread.currentThread().interrupt();
                    connection.call(Server.ping());
                }
                default -> {
                    String echoed = connection.call(Server.echo(key));
                    Pipeline pipeline = connection.pipeline();
                    Result<String> last = pipeline.add(Server.echo(id));
                    pipeline.run();
                    if (!echoed.equals(key) || !last.value().equals(id)) {
                        wrong.add("another's reply: " + echoed + ", " + last.value());
                    }
                }
            }
        }
    }

    @Test
    void closingTheClientEndsAllBorrowersAndLeavesNoConnection() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("closingTheClientEndsAllBorrowersAndLeavesNoConnection seed: " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 10; round++) {
            RedisClient client = clients.connect(uri(server), options -> options.poolSize(POOL));
            AtomicInteger calls = new AtomicInteger();
            Set<String> wrong = ConcurrentHashMap.newKeySet();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                threads.add(Thread.ofVirtual().start(() -> borrowUntilClosed(client, calls, wrong)));
            }
            int callsBeforeClose = random.nextInt(60);
            Eventually.await("some calls were made", () -> calls.get() >= callsBeforeClose);

            client.close();

            for (Thread thread : threads) {
                assertThat(thread.join(TIMEOUT))
                        .as("borrower left, round " + round)
                        .isTrue();
            }
            assertThat(wrong).isEmpty();
        }
    }

    private static void borrowUntilClosed(RedisClient client, AtomicInteger calls, Set<String> wrong) {
        while (true) {
            try (DedicatedConnection connection = client.borrow()) {
                connection.call(Server.ping());
                calls.incrementAndGet();
            } catch (ConnectionLostException | ConnectException | IllegalStateException closed) {
                return;
            } catch (RuntimeException e) {
                wrong.add(e.toString());
                return;
            }
        }
    }
}
