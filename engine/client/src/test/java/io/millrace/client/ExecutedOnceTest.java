// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
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

/**
 * Callers increment counters while connections are killed. The counters show whether a command was executed twice, or
 * was not executed although it was reported as successful.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ExecutedOnceTest {

    private static final int CALLERS = 16;
    private static final int INCREMENTS = Integer.getInteger("millrace.increments", 60_000);
    private static final int KILLS = 30;

    private static EmbeddedRedis server;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final LongAdder issued = new LongAdder();

    /** The outcomes of the increments of one caller. Each caller has its own counter. */
    private static final class CallerOutcomes {
        long ok;
        long maybeExecuted;
        long unsent;
        long greatest;

        void add(CommandFate commandFate) {
            switch (commandFate) {
                case OK -> ok++;
                case LOST_SENT -> maybeExecuted++;
                case LOST_UNSENT -> unsent++;
                case ERROR, TIMED_OUT, REFUSED, ABANDONED -> throw new AssertionError(commandFate);
            }
        }

        /** Checks that {@code value} is greater than each earlier value of the counter. */
        void value(long value) {
            if (value <= greatest) {
                throw new AssertionError("the counter went back: before=" + greatest + ", now=" + value);
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
    void commandIsNeverExecutedTwiceWhenConnectionsAreKilled() throws Exception {
        System.out.println("seed: " + seed);
        try (RawConnection control = RawConnection.open(server.host(), server.port(), 3);
                RedisClient client = clients.connect(
                        WatchedClients.uri(server),
                        options -> options.inFlight(512).reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(20)));
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<CallerOutcomes>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                String key = "counter " + caller;
                Random random = new Random(seed + caller);
                callers.add(executor.submit(() -> increment(client, key, INCREMENTS / CALLERS, random)));
            }
            killRepeatedly(control, callers);

            long lost = 0;
            for (int caller = 0; caller < CALLERS; caller++) {
                CallerOutcomes seen = callers.get(caller).get();
                long counted = control.run(Strings.get("counter " + caller))
                        .map(Long::parseLong)
                        .orElse(0L);
                assertThat(counted).isBetween(seen.ok, seen.ok + seen.maybeExecuted);
                lost += seen.maybeExecuted + seen.unsent;
            }
            System.out.println(
                    client.counts() + ", reconnections=" + client.stats().reconnections());
            assertThat(lost).isEqualTo(client.counts().lost()).isPositive();
            assertThat(client.stats().reconnections()).isPositive();
        }
    }

    private void killRepeatedly(RawConnection control, List<Future<CallerOutcomes>> callers) {
        for (int kills = 1; callers.stream().anyMatch(caller -> !caller.isDone()); LockSupport.parkNanos(200_000)) {
            if (issued.sum() > (long) kills * INCREMENTS / KILLS) {
                kills++;
                control.run(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            }
        }
    }

    private CallerOutcomes increment(RedisClient client, String key, int count, Random random) {
        CallerOutcomes seen = new CallerOutcomes();
        for (int done = 0; done < count; ) {
            int batch = 1 + random.nextInt(100);
            switch (random.nextInt(3)) {
                case 0 -> {
                    batch = 1;
                    call(client, key, seen);
                }
                case 1 -> send(client, key, batch, seen);
                default -> pipeline(client, key, batch, seen);
            }
            done += batch;
            issued.add(batch);
        }
        return seen;
    }

    private static void call(RedisClient client, String key, CallerOutcomes seen) {
        try {
            seen.value(client.call(Strings.increment(key)));
            seen.add(CommandFate.OK);
        } catch (RedisException e) {
            seen.add(CommandFate.of(e));
        }
    }

    private static void send(RedisClient client, String key, int batch, CallerOutcomes seen) {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            futures.add(client.send(Strings.increment(key)));
        }
        for (CompletableFuture<Long> future : futures) {
            CommandFate commandFate = CommandFate.of(future);
            seen.add(commandFate);
            if (commandFate == CommandFate.OK) {
                seen.value(future.join());
            }
        }
    }

    private static void pipeline(RedisClient client, String key, int batch, CallerOutcomes seen) {
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> results = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            results.add(pipeline.add(Strings.increment(key)));
        }
        pipeline.run();
        for (Result<Long> result : results) {
            seen.add(CommandFate.of(result.outcome()));
            if (result.ok()) {
                seen.value(result.value());
            }
        }
    }
}
