// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Loads that write no entry release their leases. Without the release, such a lease would block the key until the lease
 * expires.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseReleaseTest {

    private static final String LEASE = "texts~lease:{texts:key}";
    private static final Duration SHORT = Duration.ofMillis(200);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final RedisClient direct = REDIS.client();
    private final FaultProxy proxy = REDIS.proxy();
    private final InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
    private final StatsCounter statsCounter = new StatsCounter();
    private final AtomicInteger calls = new AtomicInteger();

    private static CacheOptions.Builder leased() {
        return RedisExtension.leased(Duration.ofMinutes(5));
    }

    private Cache<String> cache(CacheOptions.Builder options) {
        return REDIS.closeAfterTest(Cache.of(REDIS.client(proxy.port()), "texts", Codec.text(), options.build()));
    }

    private LoadRunner<String> runner(CacheOptions.Builder builder) {
        CacheOptions options = builder.build();
        EntryFormat<String> format = new HeaderFormat<>("texts", Codec.text());
        EntryStore<String> entryStore = new EntryStore<>(
                REDIS.client(proxy.port()),
                "texts",
                format,
                options.redisTimeout(),
                statsCounter,
                new RedisCircuit("texts", System::nanoTime));
        Leases<String> leases = new Leases<>(entryStore, options.lease(), System::nanoTime);
        REDIS.closeAfterTest(leases::close);
        EntryEncoder<String> entryEncoder =
                new EntryEncoder<>(format, options, (key, value) -> options.timeToLive(), ClockAndRandom.SYSTEM);
        LoadedEntryWriter<String> writer = new LoadedEntryWriter<>(inFlightLoads, entryStore, leases);
        LoadAdmission admission = new LoadAdmission(options.concurrentLoads());
        AbandonedLoaders abandoned = new AbandonedLoaders(statsCounter);
        LoadTimeouts<String> timeouts = new LoadTimeouts<>(
                inFlightLoads,
                admission,
                abandoned,
                "texts",
                leases,
                statsCounter,
                options.loadTimeout(),
                System::nanoTime);
        REDIS.closeAfterTest(timeouts::close);
        LoaderInvoker<String> invoker =
                new LoaderInvoker<>(entryEncoder, entryStore, timeouts, ClockAndRandom.SYSTEM, statsCounter);
        LoadTiming timing = new LoadTiming(ClockAndRandom.SYSTEM, options.deadline());
        LoadStrategy<String> strategy = new LeasedLoad<>(leases, admission, invoker, timing);
        return new LoadRunner<>(inFlightLoads, strategy, writer, admission, abandoned, timing, LoadThreads.DEFAULT);
    }

    private LookupRequest<String> request() {
        return new LookupRequest<>("key", key -> Optional.of("load " + calls.incrementAndGet()), false);
    }

    private void dropReplies() {
        proxy.stall(Direction.TO_CLIENT);
    }

    private long leases() {
        return direct.call(Keys.exist(LEASE));
    }

    @Test
    void leaseIsReleasedIfABackgroundLoadGetsNoReplyToItsClaim() {
        LoadRunner<String> runner = runner(leased().redisTimeout(SHORT));

        dropReplies();
        runner.refresh(request(), Duration.ofHours(1).toNanos());
        Eventually.is("the load has ended", false, () -> inFlightLoads.isInFlight("key"));

        Eventually.is("the lease was taken", 1, () -> RedisExtension.calls(direct, "set"));
        Eventually.is("the lease is released", 0L, this::leases);
        assertThat(statsCounter.errors.sum()).as("claims without a reply").isPositive();
        assertThat(calls).hasValue(0);
    }

    @Test
    void leaseIsReleasedIfTheClaimGetsNoReplyAndTheLoaderFails() {
        Cache<String> cache = cache(leased().redisTimeout(SHORT));

        dropReplies();
        assertThatThrownBy(() -> cache.get("key", key -> {
                    Eventually.is("the lease is taken", 1L, this::leases);
                    throw new IllegalStateException("loader failure");
                }))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseMessage("loader failure");

        Eventually.is("the lease is released", 0L, this::leases);
    }

    @Test
    void leaseIsReleasedWhenTheCacheIsClosedDuringTheLoad() throws Exception {
        Cache<String> cache = cache(leased());
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> caller = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        }));

        begun.await();
        assertThat(leases()).isEqualTo(1);
        dropReplies();
        cache.close();

        Eventually.is("the lease is released", 0L, this::leases);
        assertThatThrownBy(caller::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("the cache is closed: cache=texts. Close the cache after its last call.");
    }

    @Test
    void cacheClosedDuringAClaimStartsNoLoader() {
        LoadRunner<String> runner = runner(leased());

        proxy.stall(Direction.TO_CLIENT);
        runner.start(inFlightLoads.join(request(), inFlightLoads.stamp("key")), null);
        Eventually.is("the lease is taken", 1L, this::leases);
        inFlightLoads.close(Duration.ofSeconds(30).toNanos());

        assertThat(inFlightLoads.isInFlight("key")).isFalse();
        assertThat(calls).hasValue(0);
        Eventually.is("the lease is released", 0L, this::leases);
        assertThat(statsCounter.errors.sum()).isZero();
    }

    @Test
    void leaseOfALoadThatEndsDuringAnOutageIsReleasedAfterTheOutage() throws Exception {
        Cache<String> cache = cache(leased().redisTimeout(SHORT));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> caller = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            mayEnd.await();
            return "loaded";
        }));
        begun.await();
        proxy.stall(Direction.TO_SERVER);
        Eventually.holds(
                "the circuit is open",
                () -> {
                    assertThat(cache.getIfPresent("other")).isEmpty();
                    return cache.stats().bypasses();
                },
                bypasses -> bypasses > 0);

        mayEnd.countDown();
        assertThat(caller.join()).isEqualTo("loaded");
        assertThat(leases()).isEqualTo(1);
        proxy.resume(Direction.TO_SERVER);

        Eventually.is("the lease is released", 0L, this::leases);
        assertThat(REDIS.cache(leased()).get("key", key -> "loaded")).isEqualTo("loaded");
    }

    @Test
    void leaseOfAWriteWhoseConnectionBreaksIsReleased() {
        Cache<String> cache = cache(leased());

        String value = cache.get("key", key -> {
            proxy.cut(Direction.TO_SERVER, 1, ConnectionEnd.RESET); // the first byte of the write resets the connection
            return "loaded";
        });

        assertThat(value).isEqualTo("loaded");
        Eventually.is("the lease is released", 0L, this::leases);
        assertThat(direct.call(Keys.exist("texts:key"))).isZero();
    }

    @Test
    void leaseIsReleasedIfItsClaimArrivesAfterTheFirstDeletion() {
        EntryStore<String> entryStore = new EntryStore<>(
                REDIS.client(),
                "texts",
                new HeaderFormat<>("texts", Codec.text()),
                Duration.ofSeconds(30),
                statsCounter,
                new RedisCircuit("texts", System::nanoTime));
        Leases<String> leases = new Leases<>(entryStore, Duration.ofMinutes(5), System::nanoTime);
        REDIS.closeAfterTest(leases::close);
        HeldLease lease = leases.begin("key");
        lease.claim = HeldLease.ClaimResult.UNANSWERED;

        leases.giveBack(lease);
        Eventually.holds("a deletion finds no lease", () -> RedisExtension.calls(direct, "eval"), calls -> calls >= 1);
        direct.call(Strings.set(LEASE, lease.token)); // the claim arrives late

        Eventually.is("the lease is released", 0L, this::leases);
    }

    @Test
    void twoCachesShareOneLoadUnderALeaseIfTheRedisKeyIsNotAString() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            int number = calls.incrementAndGet();
            mayEnd.await();
            return key + "#" + number;
        };
        Cache<String> holder = cache(leased());
        Cache<String> other = cache(leased());
        direct.call(Lists.pushLeft("texts:key", "not a string"));

        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> holder.get("key", slow));
        Eventually.is("the holder loads", 1, calls::get);
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> other.get("key", slow));
        // Two claims and one read by the waiting load send PTTL.
        Eventually.holds("the other cache waits", () -> RedisExtension.calls(direct, "pttl"), looks -> looks >= 3);
        mayEnd.countDown();

        assertThat(first.join()).isEqualTo(second.join()).isEqualTo("key#1");
        assertThat(calls).hasValue(1);
    }
}
