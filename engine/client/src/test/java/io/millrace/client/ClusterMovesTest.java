// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands of a client while the slots of their keys move from node to node. */
class ClusterMovesTest {

    private static final int KEYS = 8;
    private static final int PER_KEY = 200;
    private static final int CALLERS = 3;

    /** The callers repeat their work until this number of slots has moved. */
    private static final int MOVES = Integer.getInteger("millrace.clusterMoves", 20);

    private static final int READERS = 24;
    private static final int REPLIES = Integer.getInteger("millrace.clusterReplies", 100_000);

    private static EmbeddedCluster cluster;
    private RedisClient client;

    /** Number of commands that have ended with errors. */
    private final AtomicInteger refused = new AtomicInteger();

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        connect(ClientOptions.IN_FLIGHT.defaultValue());
    }

    private void connect(int inFlight) {
        client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(cluster.uri()))
                .commandTimeout(Duration.ofSeconds(30))
                .inFlight(inFlight)
                .build());
        client.call(Server.flushAll());
        client.call(Command.of("CONFIG RESETSTAT"));
    }

    @AfterEach
    void closeClient() {
        CommandCounts counts = client.counts();
        client.close();
        assertThat(counts.pending()).isZero();
        assertThat(counts.ok() + counts.error()).isEqualTo(counts.submitted());
        assertThat(counts.error()).isEqualTo(refused.get());
        assertThat(ClusterErrors.count(cluster, "MOVED") + ClusterErrors.count(cluster, "ASK"))
                .isPositive();
    }

    @Test
    void sentCommandsOfAThreadKeepTheirOrderForEachKey() throws Exception {
        int rounds = whileSlotsMove((caller, round) -> {
            List<CompletableFuture<Long>> lengths = new ArrayList<>();
            for (int i = 0; i < PER_KEY * KEYS; i++) {
                lengths.add(client.send(Lists.pushRight(key(caller, i % KEYS, round), Integer.toString(i / KEYS))));
            }
            for (int i = 0; i < lengths.size(); i++) {
                assertThat(lengths.get(i).join()).isEqualTo(i / KEYS + 1);
            }
        });

        assertOrder(rounds);
    }

    @Test
    void sentCommandsOfAThreadKeepTheirOrderIfTheLimitsAreNarrow() throws Exception {
        client.close();
        connect(4);
        int rounds = whileSlotsMove((caller, round) -> {
            List<CompletableFuture<Long>> lengths = new ArrayList<>();
            for (int i = 0; i < PER_KEY * KEYS; i++) {
                lengths.add(client.send(Lists.pushRight(key(caller, i % KEYS, round), Integer.toString(i / KEYS))));
            }
            lengths.forEach(CompletableFuture::join);
        });

        assertOrder(rounds);
    }

    @Test
    void lastExecutedCommandOfAThreadWritesTheValueOfEachKey() throws Exception {
        whileSlotsMove((caller, round) -> {
            // The keys have one hash slot, so that commands are fused while a node has only some of the keys.
            String prefix = key(caller, 0, round) + ":";
            List<CompletableFuture<String>> written = new ArrayList<>();
            for (int i = 0; i < PER_KEY * KEYS; i++) {
                written.add(client.send(Strings.set(prefix + i % KEYS, Integer.toString(i))));
            }
            String[] last = new String[KEYS];
            for (int i = 0; i < written.size(); i++) {
                if (isWritten(written.get(i))) {
                    last[i % KEYS] = Integer.toString(i);
                }
            }
            for (int i = 0; i < KEYS; i++) {
                assertThat(client.call(Strings.get(prefix + i))).as(prefix + i).isEqualTo(Optional.of(last[i]));
            }
        });
    }

    private boolean isWritten(CompletableFuture<String> written) {
        try {
            return written.join().equals("OK");
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(ErrorReplyException.class).hasMessageMatching("(?s).*(TRYAGAIN|ASK).*");
            refused.incrementAndGet();
            return false;
        }
    }

    @Test
    void pipelinesKeepTheOrderOfTheirCommandsForEachKey() throws Exception {
        int rounds = whileSlotsMove((caller, round) -> {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < PER_KEY * KEYS; i++) {
                pipeline.add(Lists.pushRight(key(caller, i % KEYS, round), Integer.toString(i / KEYS)));
                if (i % 100 == 99) {
                    assertThat(pipeline.run()).allMatch(Result::ok);
                }
            }
            assertThat(pipeline.run()).allMatch(Result::ok);
        });

        assertOrder(rounds);
    }

    @Test
    void eachCallReceivesItsOwnReply() throws Exception {
        whileSlotsMove((caller, round) -> {
            for (int i = 0; i < PER_KEY * KEYS / 2; i++) {
                String key = key(caller, i % KEYS, round);
                String value = key + "=" + i;
                client.call(Strings.set(key, value));
                assertThat(client.call(Strings.get(key))).isEqualTo(Optional.of(value));
                assertThat(client.call(Command.of("ECHO", value))).isEqualTo(bulk(value));
            }
        });
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void noReplyReachesAnotherCommand() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        MovingKeyReader.Results results = new MovingKeyReader.Results();
        List<String> tags = IntStream.range(0, CALLERS * KEYS)
                .mapToObj(i -> "list-" + i % CALLERS + "-" + i / CALLERS)
                .toList();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger moves = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> mover = threads.submit(() -> moveSlots(ended, moves));
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(threads.submit(new MovingKeyReader(client, i, REPLIES / READERS + 1, tags, seed, results)));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            ended.set(true);
            mover.get();
        } finally {
            ended.set(true);
        }
        refused.addAndGet(results.refused.intValue());

        System.out.println("seed: " + seed + ", moves=" + moves + ", " + results);
        assertThat(results.wrong).isEmpty();
        assertThat(results.issued.sum()).isGreaterThanOrEqualTo(REPLIES);
        assertThat(results.answered.sum() + results.refused.sum()).isEqualTo(results.issued.sum());
    }

    @Test
    void transactionsAreExecutedCompletelyAndOnce() throws Exception {
        whileSlotsMove((caller, round) -> {
            for (int i = 1; i <= PER_KEY; i++) {
                String key = key(caller, i % KEYS, round);
                Transaction transaction = client.transaction();
                Result<Long> list = transaction.add(Lists.pushRight(key, "x"));
                Result<Long> counter = transaction.add(Strings.increment(key + ":count"));
                transaction.run();
                assertThat(list.value()).isEqualTo(counter.value());
            }
        });
    }

    private static Reply bulk(String text) {
        return new Reply.BulkString(text.getBytes(UTF_8));
    }

    /** The keys of all rounds have the same slot. */
    private static String key(int caller, int index, int round) {
        return "{list-" + caller + "-" + index + "}:" + round;
    }

    private void assertOrder(int rounds) {
        List<String> expected =
                IntStream.range(0, PER_KEY).mapToObj(Integer::toString).toList();
        for (int round = 0; round < rounds; round++) {
            for (int caller = 0; caller < CALLERS; caller++) {
                for (int i = 0; i < KEYS; i++) {
                    String key = key(caller, i, round);
                    assertThat(client.call(Lists.range(key, 0, -1))).as(key).isEqualTo(expected);
                }
            }
        }
    }

    /** The work of one caller. */
    private interface Caller {
        void run(int caller, int round) throws Exception;
    }

    /** Runs callers while another thread moves the slots of their keys. Returns the lowest number of rounds of a caller. */
    private int whileSlotsMove(Caller work) throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger moves = new AtomicInteger();
        int rounds = Integer.MAX_VALUE;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> mover = threads.submit(() -> moveSlots(ended, moves));
            List<Future<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                callers.add(threads.submit(() -> {
                    int round = 0;
                    do {
                        work.run(caller, round++);
                    } while (moves.get() < MOVES && !ended.get());
                    return round;
                }));
            }
            try {
                for (Future<Integer> caller : callers) {
                    rounds = Math.min(rounds, caller.get());
                }
            } finally {
                ended.set(true);
            }
            mover.get();
        }
        return rounds;
    }

    private void moveSlots(AtomicBoolean ended, AtomicInteger moves) {
        for (int i = 0; !ended.get(); i++) {
            int slot = KeySlot.of(key(i % CALLERS, i / CALLERS % KEYS, 0));
            EmbeddedRedis owner = cluster.primaryOf(slot);
            cluster.moveSlot(slot, cluster.nodes().get((cluster.nodes().indexOf(owner) + 1) % 3));
            moves.incrementAndGet();
        }
    }
}
