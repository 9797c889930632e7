// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Strings;
import io.millrace.client.TrackingOptions;
import io.millrace.testkit.Ending;
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
 * Random programs against a real server: one client writes, removes, lets expire and flushes, two threads of another read through a near
 * cache, and now and then the connection that tells it breaks. Whenever all is told, nothing is served that Redis does not have.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class NearProgramTest {

    private static final String PREFIX = "near:";
    private static final int KEYS = 30;
    private static final int ROUNDS = 20;
    private static final int WRITES = 150;

    @RegisterExtension
    static final Redis REDIS = new Redis();

    @RepeatedTest(3)
    void whatIsServedIsWhatRedisHasWhenAllIsTold() throws Exception {
        run(0);
    }

    @RepeatedTest(3)
    void whatIsServedIsWhatRedisHasThoughTheConnectionBreaks() throws Exception {
        run(0.02);
    }

    /** A program in which so many of the writer's steps are followed by a broken connection. */
    private static void run(double breaks) throws Exception {
        long seed = System.nanoTime();
        System.out.println("NearProgramTest: breaks=" + breaks + ", seed=" + seed);
        Random random = new Random(seed);
        NearOptions options = NearOptions.entries(KEYS);
        FaultProxy proxy = REDIS.proxy();
        RedisClient writer = REDIS.client();
        RedisClient reader = REDIS.client();
        RedisClient told = REDIS.client(proxy.port());
        TrackingOptions tracked = TrackingOptions.prefixes(PREFIX)
                .withQuiet(Duration.ofMillis(200))
                .withBuffer(KEYS / 2);
        Near<String> near =
                new TrackedNear<>(told.track(tracked), PREFIX, CaffeineSlots.limited(options, Surroundings.SYSTEM));
        NearReader readers = new NearReader(near, reader, PREFIX);
        int compared = 0;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                whileOthersRead(readers, random, () -> {
                    for (int i = 0; i < WRITES; i++) {
                        write(writer, random);
                        if (random.nextDouble() < breaks) {
                            proxy.disconnectAll(random.nextInt(4) == 0 ? Ending.SILENCE : Ending.RESET);
                        }
                    }
                });
                readers.awaitWhatWasWritten(writer);
                for (int key = 0; key < KEYS; key++) {
                    readers.read(Integer.toString(
                            key)); // what is here stays; the rest is fetched, so that there is something
                }
                compared += compare(readers, "seed=" + seed + ", round=" + round);
            }
        } finally {
            near.close();
        }
        assertThat(readers.served().sum()).as("seed=%d", seed).isPositive();
        assertThat(compared).as("compared, seed=%d", seed).isPositive();
    }

    private static void write(RedisClient writer, Random random) {
        String key = PREFIX + random.nextInt(KEYS);
        String what = Long.toString(random.nextLong());
        int kind = random.nextInt(100);
        if (kind < 60) {
            writer.call(Strings.set(key, NearReader.text(Long.MAX_VALUE, what)));
        } else if (kind < 75) {
            int millis = 1 + random.nextInt(30);
            String text = NearReader.text(System.currentTimeMillis() + millis, what);
            writer.call(Command.of("SET", key, text, "PX", millis));
        } else if (kind < 98) {
            writer.call(Command.of("DEL", key));
        } else {
            writer.call(Command.of("FLUSHDB"));
        }
    }

    /** Runs {@code program} while two threads read all the time. */
    private static void whileOthersRead(NearReader readers, Random random, Runnable program) throws Exception {
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
            done.get(30, TimeUnit.SECONDS);
        }
    }

    /** How many keys were here to be compared. */
    private static int compare(NearReader readers, String where) {
        int compared = 0;
        for (int i = 0; i < KEYS; i++) {
            String key = Integer.toString(i);
            Entry<String> here = readers.near().find(key);
            if (here != null) {
                String there = readers.client().call(Strings.get(PREFIX + key)).orElse("");
                boolean over = System.currentTimeMillis() >= here.freshUntil();
                assertThat(there.equals(here.present()) || (over && there.isEmpty()))
                        .as("%s, key=%s, here=%s, there=%s", where, key, here.present(), there)
                        .isTrue();
                compared++;
            }
        }
        return compared;
    }
}
