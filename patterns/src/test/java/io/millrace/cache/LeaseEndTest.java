// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Command;
import io.millrace.client.Keys;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
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

/** Leases of loads from which nothing comes, and that nobody would take away before they end by themselves. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseEndTest {

    private static final String LEASE = "texts~lease:{texts:key}";
    private static final Duration SHORT = Duration.ofMillis(200);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final RedisClient direct = REDIS.client();
    private final FaultProxy proxy = REDIS.proxy();
    private final Loads<String> loads = new Loads<>();
    private final Tally tally = new Tally();
    private final AtomicInteger calls = new AtomicInteger();

    private static CacheOptions.Builder leased() {
        return Redis.patient().lease(Duration.ofMinutes(5));
    }

    private Cache<String> cache(CacheOptions.Builder options) {
        return REDIS.closing(Cache.of(REDIS.client(proxy.port()), "texts", Codec.text(), options.build()));
    }

    private LoadRunner<String> runner(CacheOptions.Builder builder) {
        CacheOptions options = builder.build();
        EntryFormat<String> format = new EntryFormat<>("texts", Codec.text());
        Store<String> store = new Store<>(REDIS.client(proxy.port()), "texts", format, options.redisTimeout(), tally);
        Leases<String> leases = new Leases<>(store, options.lease());
        Drafts<String> drafts =
                new Drafts<>(format, options, (key, value) -> options.timeToLive(), Surroundings.SYSTEM);
        LoadedWriter<String> writer = new LoadedWriter<>(loads, store, leases);
        return new LoadRunner<>(loads, store, leases, writer, drafts, options, Surroundings.SYSTEM, tally);
    }

    private Request<String> request() {
        return new Request<>("key", key -> Optional.of("load " + calls.incrementAndGet()), false);
    }

    /** The server knows no script, and nobody hears that from it. */
    private void loseAnswers() {
        direct.call(Command.of("SCRIPT FLUSH"));
        proxy.stall(Direction.TO_CLIENT);
    }

    private long leases() {
        return direct.call(Keys.exist(LEASE));
    }

    @Test
    void aLeaseThatARefreshMayHaveTakenIsGivenBack() {
        LoadRunner<String> runner = runner(leased().redisTimeout(SHORT));

        loseAnswers();
        runner.refresh(request());
        Eventually.is("it has ended", false, () -> loads.isUnderWay("key"));

        Eventually.is("it had taken the lease", 1, () -> Redis.calls(direct, "set"));
        Eventually.is("the lease is given back", 0L, this::leases);
        assertThat(tally.errors.sum()).as("it was not told").isPositive();
        assertThat(calls).hasValue(0);
    }

    @Test
    void aLeaseThatAFailedLoadMayHaveTakenIsGivenBack() {
        Cache<String> cache = cache(leased().redisTimeout(SHORT));

        loseAnswers();
        assertThatThrownBy(() -> cache.get("key", key -> {
                    Eventually.is("it has taken the lease", 1L, this::leases);
                    throw new IllegalStateException("this one");
                }))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseMessage("this one");

        Eventually.is("the lease is given back", 0L, this::leases);
    }

    @Test
    void theLeaseOfALoadThatIsClosedIsGivenBack() throws Exception {
        Cache<String> cache = cache(leased());
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> caller = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        }));

        begun.await();
        assertThat(leases()).isEqualTo(1);
        loseAnswers();
        cache.close();

        Eventually.is("the lease is given back", 0L, this::leases);
        assertThatThrownBy(caller::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("the cache is closed: cache=texts");
    }

    @Test
    void aCacheThatIsClosedWhileItClaimsALeaseLoadsNothing() {
        LoadRunner<String> runner = runner(leased());

        proxy.stall(Direction.TO_CLIENT);
        runner.start(loads.join(request(), loads.stamp("key")), null);
        Eventually.is("it has taken the lease", 1L, this::leases);
        loads.close(Duration.ofSeconds(30).toNanos());

        assertThat(loads.isUnderWay("key")).isFalse();
        assertThat(calls).hasValue(0);
        Eventually.is("the lease is given back", 0L, this::leases);
        assertThat(tally.errors.sum()).isZero();
    }

    @Test
    void aKeyThatIsNoStringIsLoadedUnderItsLeaseToo() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            int number = calls.incrementAndGet();
            mayEnd.await();
            return key + "#" + number;
        };
        Cache<String> holder = cache(leased());
        Cache<String> other = cache(leased());
        direct.call(Lists.pushLeft("texts:key", "no entry"));

        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> holder.get("key", slow));
        Eventually.is("it loads", 1, calls::get);
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> other.get("key", slow));
        // Two claims, and a look of the one that waits.
        Eventually.holds("the other waits", () -> Redis.calls(direct, "pttl"), looks -> looks >= 3);
        mayEnd.countDown();

        assertThat(first.join()).isEqualTo(second.join()).isEqualTo("key#1");
        assertThat(calls).hasValue(1);
    }
}
