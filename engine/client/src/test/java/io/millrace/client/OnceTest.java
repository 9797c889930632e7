// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Counters that would tell if a command had been executed twice, or not at all though it was said to be. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class OnceTest {

    private static final int CALLERS = 16;
    private static final int INCREMENTS = Integer.getInteger("millrace.increments", 300_000);
    private static final int KILLS = 30;

    private static EmbeddedRedis server;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final LongAdder issued = new LongAdder();

    /** What the callers of one counter were told. */
    private static final class Told {
        long ok;
        long maybe;
        long unsent;
        long greatest;

        void add(Fate fate) {
            switch (fate) {
                case OK -> ok++;
                case LOST_SENT -> maybe++;
                case LOST_UNSENT -> unsent++;
                case ERROR, TIMED_OUT, REFUSED, ABANDONED -> throw new AssertionError(fate);
            }
        }

        /** Counters of one caller only grow. */
        void value(long value) {
            if (value <= greatest) {
                throw new AssertionError("the counter was " + greatest + ", and " + value + " after that");
            }
            greatest = value;
        }
    }

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void nothingIsExecutedTwiceWhateverHappensToItsConnection() throws Exception {
        System.out.println("seed: " + seed);
        try (RawConnection control = RawConnection.open(server.host(), server.port(), 3);
                RedisClient client = clients.connect(
                        WatchedClients.uri(server),
                        options -> options.inFlight(512).reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(20)));
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Told>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                String key = "counter " + caller;
                Random random = new Random(seed + caller);
                callers.add(executor.submit(() -> increment(client, key, INCREMENTS / CALLERS, random)));
            }
            killNowAndThen(control, callers);

            long lost = 0;
            for (int caller = 0; caller < CALLERS; caller++) {
                Told told = callers.get(caller).get();
                long counted = control.run(Strings.get("counter " + caller))
                        .map(Long::parseLong)
                        .orElse(0L);
                assertThat(counted).isBetween(told.ok, told.ok + told.maybe);
                lost += told.maybe + told.unsent;
            }
            System.out.println(
                    client.counts() + ", reconnections=" + client.account().reconnections());
            assertThat(lost).isEqualTo(client.counts().lost()).isPositive();
            assertThat(client.account().reconnections()).isPositive();
        }
    }

    private void killNowAndThen(RawConnection control, List<Future<Told>> callers) {
        for (int kills = 1; callers.stream().anyMatch(caller -> !caller.isDone()); LockSupport.parkNanos(200_000)) {
            if (issued.sum() > (long) kills * INCREMENTS / KILLS) {
                kills++;
                control.run(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            }
        }
    }

    private Told increment(RedisClient client, String key, int count, Random random) {
        Told told = new Told();
        for (int done = 0; done < count; ) {
            int batch = 1 + random.nextInt(100);
            switch (random.nextInt(3)) {
                case 0 -> {
                    batch = 1;
                    call(client, key, told);
                }
                case 1 -> send(client, key, batch, told);
                default -> pipeline(client, key, batch, told);
            }
            done += batch;
            issued.add(batch);
        }
        return told;
    }

    private static void call(RedisClient client, String key, Told told) {
        try {
            told.value(client.call(Strings.increment(key)));
            told.add(Fate.OK);
        } catch (RedisException e) {
            told.add(Fate.of(e));
        }
    }

    private static void send(RedisClient client, String key, int batch, Told told) {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            futures.add(client.send(Strings.increment(key)));
        }
        for (CompletableFuture<Long> future : futures) {
            Fate fate = Fate.of(future);
            told.add(fate);
            if (fate == Fate.OK) {
                told.value(future.join());
            }
        }
    }

    private static void pipeline(RedisClient client, String key, int batch, Told told) {
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> results = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            results.add(pipeline.add(Strings.increment(key)));
        }
        pipeline.run();
        for (Result<Long> result : results) {
            told.add(Fate.of(result.outcome()));
            if (result.ok()) {
                told.value(result.value());
            }
        }
    }
}
