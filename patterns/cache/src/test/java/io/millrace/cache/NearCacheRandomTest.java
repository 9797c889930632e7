// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.TrackingOptions;
import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random programs against a real server. One client writes, deletes, expires and flushes keys. Two threads of another
 * client read through a near cache, whose tracking connection sometimes breaks. After all invalidations have arrived,
 * the near cache equals Redis.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class NearCacheRandomTest {

    private static final String PREFIX = "near:";
    private static final int KEYS = 30;
    private static final int ROUNDS = Integer.getInteger("millrace.nearRounds", 4);
    private static final int WRITES = 150;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @RepeatedTest(3)
    void servedEntriesEqualRedisAfterAllInvalidations() throws Exception {
        run(0);
    }

    @RepeatedTest(3)
    void servedEntriesEqualRedisAfterConnectionLosses() throws Exception {
        run(0.02);
    }

    /** Runs a program. {@code breaks} is the fraction of the writes after which the test breaks the connection. */
    private static void run(double breaks) throws Exception {
        long seed = System.nanoTime();
        System.out.println("NearCacheRandomTest: breaks=" + breaks + ", seed=" + seed);
        Random random = new Random(seed);
        NearCacheOptions options = NearCacheOptions.entries(KEYS);
        FaultProxy proxy = REDIS.proxy();
        RedisClient writer = REDIS.client();
        RedisClient reader = REDIS.client();
        // A cut may silence a connection during its handshake. The attempt then ends with the connect timeout.
        RedisClient tracker = REDIS.client(proxy.port(), Duration.ofSeconds(5));
        TrackingOptions tracked = TrackingOptions.prefixes(PREFIX)
                .withPingInterval(Duration.ofMillis(200))
                .withBuffer(KEYS / 2);
        NearCache<String> nearCache = new TrackedNearCache<>(
                tracker.track(tracked),
                PREFIX,
                CaffeineNearSlots.create(options, ClockAndRandom.SYSTEM, CacheOptions.TIME_TO_LIVE.max()));
        NearCacheReader readers = new NearCacheReader(nearCache, reader, PREFIX);
        int compared = 0;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                whileReading(readers, random, () -> {
                    for (int i = 0; i < WRITES; i++) {
                        write(writer, random);
                        if (random.nextDouble() < breaks) {
                            proxy.disconnectAll(random.nextInt(4) == 0 ? ConnectionEnd.SILENCE : ConnectionEnd.RESET);
                        }
                    }
                });
                readers.awaitInvalidations(writer);
                for (int key = 0; key < KEYS; key++) {
                    readers.read(Integer.toString(key)); // fills the near cache, so that there are entries to compare
                }
                compared += compare(readers, "seed=" + seed + ", round=" + round);
            }
        } finally {
            nearCache.close();
        }
        assertThat(readers.served().sum()).as("served entries, seed=%d", seed).isPositive();
        assertThat(compared).as("compared entries, seed=%d", seed).isPositive();
    }

    private static void write(RedisClient writer, Random random) {
        String key = PREFIX + random.nextInt(KEYS);
        String content = Long.toString(random.nextLong());
        int kind = random.nextInt(100);
        if (kind < 60) {
            writer.call(Strings.set(key, NearCacheReader.text(Long.MAX_VALUE, content)));
        } else if (kind < 75) {
            int millis = 1 + random.nextInt(30);
            String text = NearCacheReader.text(System.currentTimeMillis() + millis, content);
            writer.call(Command.of("SET", key, text, "PX", millis));
        } else if (kind < 98) {
            writer.call(Command.of("DEL", key));
        } else {
            writer.call(Command.of("FLUSHDB"));
        }
    }

    /** Runs {@code program} while two threads read continuously. */
    private static void whileReading(NearCacheReader readers, Random random, Runnable program) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> reading = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long seed = random.nextLong();
            CompletableFuture<Void> done = new CompletableFuture<>();
            reading.add(done);
            Thread.ofVirtual().start(() -> {
                try {
                    Random keys = new Random(seed);
                    while (!over.get()) {
                        readers.read(Integer.toString(keys.nextInt(KEYS)));
                    }
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(e);
                }
            });
        }
        try {
            program.run();
        } finally {
            over.set(true);
        }
        for (CompletableFuture<Void> done : reading) {
            done.get(60, TimeUnit.SECONDS);
        }
    }

    /** Compares the entries of the near cache with Redis. Returns the number of compared entries. */
    private static int compare(NearCacheReader readers, String where) {
        int compared = 0;
        for (int i = 0; i < KEYS; i++) {
            String key = Integer.toString(i);
            Entry<String> kept = readers.near().find(key);
            if (kept != null) {
                String stored = readers.client().call(Strings.get(PREFIX + key)).orElse("");
                boolean expired = System.currentTimeMillis() >= kept.freshUntil();
                assertThat(stored.equals(kept.requireValue()) || (expired && stored.isEmpty()))
                        .as("%s, key=%s, kept=%s, stored=%s", where, key, kept.requireValue(), stored)
                        .isTrue();
                compared++;
            }
        }
        return compared;
    }
}
