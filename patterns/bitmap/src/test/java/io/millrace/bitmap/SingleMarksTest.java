// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Sets;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single marks take little memory and few commands, and the number of new marks is exact. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SingleMarksTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final long SEED = 20_261_125;
    private static final LocalDate SUNDAY = LocalDate.of(2026, 11, 22);
    private static final Span DAY = Span.day(SUNDAY);
    private static final SetExpression ON_SUNDAY = SetExpression.active("login", DAY);
    private static final String VALUE = "{site}:activity:login:2026-11-22";
    private static final String RECENT = VALUE + ":recent";

    private static Activity open(RedisClient client, Encoding encoding) {
        return Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000_000_000, (1L << 40) + 131_071, Long.MAX_VALUE})
    void loneMarkOfALargeIdTakesLittleMemoryWithTheDefaultOptions(long id) {
        Activity active = Activity.of(REDIS.client(), "site", ActivityOptions.keptForever());

        boolean added = active.mark("login", id, SUNDAY);

        assertThat(added).isTrue();
        assertThat(active.memoryBytes("login", DAY)).isBetween(1L, 64L << 10);
        assertThat(active.members(ON_SUNDAY)).containsExactly(id);
    }

    @ParameterizedTest
    @EnumSource
    void singleMarksOfManyCallersTakeLittleMoreThanOneCommandEach(Encoding encoding) throws InterruptedException {
        RedisClient client = REDIS.client();
        Activity active = open(client, encoding);
        assertThat(active.mark("login", 1_000_000, SUNDAY)).isTrue();
        long before = client.counts().submitted();
        AtomicLong added = new AtomicLong();

        run(16, caller -> {
            for (int i = 0; i < 25; i++) {
                added.addAndGet(active.mark("login", 25L * caller + i, SUNDAY) ? 1 : 0);
            }
        });

        assertThat(added).hasValue(400);
        assertThat(active.count(ON_SUNDAY)).isEqualTo(401);
        // The recent marks of a compressed set are moved once. The callers then fetch the set and mark again.
        assertThat(client.counts().submitted() - before).isBetween(400L, 500L);
    }

    @ParameterizedTest
    @EnumSource
    void singleMarksOfManyCallersTakeLessTimeThanAsManyRoundTrips(Encoding encoding) throws InterruptedException {
        FaultProxy proxy = REDIS.proxy();
        Activity active = open(REDIS.client(proxy.port()), encoding);
        Duration roundTrip = Duration.ofMillis(5);
        proxy.faults(Direction.TO_CLIENT, Faults.NONE.withDelay(roundTrip));
        long begin = System.nanoTime();

        run(16, caller -> {
            for (int i = 0; i < 25; i++) {
                boolean unused = active.mark("login", 25L * caller + i, SUNDAY);
            }
        });

        assertThat(System.nanoTime() - begin)
                .isLessThan(roundTrip.multipliedBy(400).toNanos());
        assertThat(active.count(ON_SUNDAY)).isEqualTo(400);
    }

    @Test
    void recentMarksMoveIntoTheCompressedSet() {
        RedisClient client = REDIS.client();
        Activity active = open(client, Encoding.COMPRESSED);
        Activity other = open(client, Encoding.COMPRESSED);

        for (long id = 0; id < 399; id++) {
            assertThat(active.mark("login", id << 40, SUNDAY)).isTrue();
        }
        assertThat(client.call(Keys.exist(VALUE))).isZero();
        assertThat(client.call(Sets.size(RECENT))).isEqualTo(399);
        assertThat(active.mark("login", 7, SUNDAY)).isTrue();
        assertThat(client.call(Keys.exist(VALUE))).isEqualTo(1);
        assertThat(client.call(Keys.exist(RECENT))).isZero();

        assertThat(active.mark("login", 7, SUNDAY)).isFalse();
        assertThat(other.mark("login", 7, SUNDAY)).isFalse();
        assertThat(other.mark("login", 8, SUNDAY)).isTrue();
        assertThat(active.contains("login", DAY, 7)).isTrue();
        assertThat(active.contains("login", DAY, 8)).isTrue();
        assertThat(active.count(ON_SUNDAY)).isEqualTo(401);
        assertThat(active.memoryBytes("login", DAY)).isPositive();
        active.clear("login", DAY);
        assertThat(active.mark("login", 7, SUNDAY)).isTrue();
        assertThat(other.mark("login", 7, SUNDAY)).isFalse();
        assertThat(active.count(ON_SUNDAY)).isEqualTo(1);
    }

    /** The callers of one client wait for one fetch of the set that another client has changed. */
    @Test
    void changedCompressedSetIsFetchedOnceForAllCallers() throws InterruptedException {
        RedisClient client = REDIS.client();
        Activity active = open(client, Encoding.COMPRESSED);
        Activity other = open(REDIS.client(), Encoding.COMPRESSED);
        active.load("login", DAY, LongStream.range(0, 100_000).map(id -> id << 20));
        assertThat(other.mark("login", 1, SUNDAY)).isTrue();
        active.load("login", DAY, LongStream.range(0, 1_000).map(id -> 2 + id));
        long before = gets(client);
        CountDownLatch ready = new CountDownLatch(32);

        run(32, caller -> {
            ready.countDown();
            awaitAll(ready);
            assertThat(other.mark("login", 10_000 + caller, SUNDAY)).isTrue();
        });

        assertThat(gets(client) - before).isEqualTo(1);
    }

    private static void awaitAll(CountDownLatch ready) {
        try {
            assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long gets(RedisClient client) {
        Matcher calls = Pattern.compile("cmdstat_get:calls=(\\d+)").matcher(client.call(Server.info("commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** The clients take turns, so each client knows an old compressed set most of the time. */
    @ParameterizedTest
    @EnumSource
    void twoClientsReportExactlyTheNewMarks(Encoding encoding) {
        System.out.println("SingleMarksTest: seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        List<Activity> clients = List.of(open(REDIS.client(), encoding), open(REDIS.client(), encoding));
        Model model = new Model(Granularity.DAY);
        for (int step = 0; step < 1_500; step++) {
            Activity active = clients.get(random.nextInt(2));
            int kind = random.nextInt(200);
            int count = kind > 20 ? 1 : kind > 5 ? random.nextInt(1, 60) : random.nextInt(1, 900);
            List<Mark> marks = random.longs(count, 0, 6_000)
                    .mapToObj(id -> Mark.on(id, SUNDAY))
                    .toList();
            long expected =
                    marks.stream().filter(mark -> model.mark("login", mark)).count();

            long added = count == 1
                    ? active.mark("login", marks.getFirst().id(), SUNDAY) ? 1 : 0
                    : kind % 2 == 0
                            ? active.mark("login", marks)
                            : active.load("login", marks.iterator()).added();

            assertThat(added).as("step %d: %d marks", step, count).isEqualTo(expected);
        }
        assertThat(clients.getFirst().members(ON_SUNDAY).boxed().toList())
                .isEqualTo(new ArrayList<>(model.of(ON_SUNDAY)));
    }

    @ParameterizedTest
    @EnumSource
    void concurrentMarksAndLoadsCountEachNewMarkOnce(Encoding encoding) throws InterruptedException {
        List<Activity> clients = List.of(open(REDIS.client(), encoding), open(REDIS.client(), encoding));
        AtomicLong added = new AtomicLong();

        run(6, caller -> {
            SplittableRandom random = new SplittableRandom(SEED + caller);
            Activity active = clients.get(caller % 2);
            LongSupplier id = () -> random.nextLong(3_000);
            if (caller < 4) {
                IntStream.range(0, 400)
                        .forEach(i -> added.addAndGet(active.mark("login", id.getAsLong(), SUNDAY) ? 1 : 0));
            } else {
                IntStream.range(0, 10)
                        .forEach(i -> added.addAndGet(active.load(
                                        "login", DAY, LongStream.generate(id).limit(200))
                                .added()));
            }
        });

        assertThat(added).hasValue(clients.getFirst().count(ON_SUNDAY));
    }

    /** A task of one caller. */
    private interface CallerTask {

        void run(int caller);
    }

    private static void run(int callers, CallerTask task) throws InterruptedException {
        List<Thread> threads = IntStream.range(0, callers)
                .mapToObj(caller -> Thread.ofVirtual().start(() -> task.run(caller)))
                .toList();
        for (Thread thread : threads) {
            assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
        }
    }
}
