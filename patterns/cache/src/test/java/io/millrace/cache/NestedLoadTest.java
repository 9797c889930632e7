// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Codec;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loaders that look up other keys. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class NestedLoadTest {

    private static final int PERMITS = 64;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    /** Returns a cache of another name. */
    private static Cache<String> users(CacheOptions.Builder options) {
        return REDIS.closeAfterTest(Cache.of(REDIS.client(), "users", Codec.text(), options.build()));
    }

    /** A loader that counts the concurrent calls. */
    private String user(String key) {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        running.decrementAndGet();
        return "user of " + key;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pagesThatHoldAllPermitsCanEachLoadAUser(boolean leased) throws Exception {
        Cache<String> cache = REDIS.cache(options(leased).concurrentLoads(PERMITS));
        CountDownLatch allHold = new CountDownLatch(PERMITS);
        AtomicInteger next = new AtomicInteger();

        List<String> pages = ConcurrentCallers.callAll(
                PERMITS,
                () -> cache.get("page" + next.incrementAndGet(), page -> {
                    allHold.countDown();
                    allHold.await(); // now the pages hold all permits
                    return "page with " + cache.get(page.replace("page", ""), this::user);
                }));

        Set<String> expected = IntStream.rangeClosed(1, PERMITS)
                .mapToObj(page -> "page with user of " + page)
                .collect(Collectors.toSet());
        assertThat(pages).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(cache.stats().loads()).isEqualTo(2 * PERMITS);
    }

    @Test
    void loaderCanLookUpAnotherCacheWhosePermitsAreTaken() {
        Cache<String> pages = REDIS.cache(options(false).concurrentLoads(1));
        Cache<String> users = users(options(false).concurrentLoads(1));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> users.get("other", key -> {
            begun.countDown();
            mayEnd.await();
            return key;
        }));

        String page = pages.get("page", key -> {
            begun.await();
            return "page with " + users.get("Ada", this::user);
        });

        assertThat(page).isEqualTo("page with user of Ada");
        assertThat(other).isNotDone();
        mayEnd.countDown();
        assertThat(other.join()).isEqualTo("other");
    }

    @Test
    void multiGetOfALoaderWorksWithASinglePermit() {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));
        List<String> users =
                IntStream.range(0, 20).mapToObj(user -> "user" + user).toList();

        String page = cache.get(
                "page", key -> "users: " + cache.getAll(users, this::user).size());

        assertThat(page).isEqualTo("users: 20");
        assertThat(most).as("concurrent loaders of users").hasValue(1);
    }

    @Test
    void bulkLoadOfALoaderWorksWithASinglePermit() {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));
        BulkLoader<String> users = (keys, failures) -> keys.stream().collect(Collectors.toMap(key -> key, this::user));

        String page = cache.get(
                "page",
                key -> "users: " + cache.getEach(List.of("Ada", "Grace"), users).values());

        assertThat(page).isEqualTo("users: {Ada=user of Ada, Grace=user of Grace}");
    }

    @Test
    void loaderThatWaitsLendsItsPermitToALoadOfAnotherCaller() throws Exception {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch queued = new CountDownLatch(1);
        CompletableFuture<String> page = CompletableFuture.supplyAsync(() -> cache.get("page", key -> {
            begun.countDown();
            queued.await();
            return "page with " + cache.get("Ada", this::user);
        }));
        begun.await();
        CompletableFuture<String> user = CompletableFuture.supplyAsync(() -> cache.get("Ada", this::user));

        Eventually.is(
                "the load of the user waits for the permit",
                2L,
                () -> cache.stats().misses());
        queued.countDown();

        assertThat(page.join()).isEqualTo("page with user of Ada");
        assertThat(user.join()).isEqualTo("user of Ada");
    }

    @Test
    void loaderCanWaitForAnAsynchronousLookup() {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));

        String page = cache.get(
                "page", key -> "page with " + cache.getAsync("Ada", this::user).join());

        assertThat(page).isEqualTo("page with user of Ada");
    }

    @Test
    void asynchronousLookupsOfALoaderUseItsPermitOneAfterAnother() {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));
        CountDownLatch two = new CountDownLatch(2);
        Loader<String> user = key -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            two.countDown();
            boolean unused = two.await(100, TimeUnit.MILLISECONDS); // gives a second loader the time to begin
            running.decrementAndGet();
            return key;
        };

        String page = cache.get("page", key -> {
            List<CompletableFuture<String>> users = IntStream.range(0, 20)
                    .mapToObj(number -> cache.getAsync("user" + number, user))
                    .toList();
            users.forEach(CompletableFuture::join);
            return "users: " + users.size();
        });

        assertThat(page).isEqualTo("users: 20");
        assertThat(most).as("concurrent loaders of users").hasValue(1);
    }

    @Test
    void keyThatLoadsItselfDoesNotHideTheOtherKeysOfALookup() {
        Cache<String> cache = REDIS.cache(options(false));
        AtomicReference<LookupResults<String>> results = new AtomicReference<>();

        String value = cache.get("key", key -> {
            results.set(cache.getEach(List.of("a", key, "b"), this::user));
            return "value";
        });

        assertThat(value).isEqualTo("value");
        assertThat(results.get().values()).isEqualTo(Map.of("a", "user of a", "b", "user of b"));
        assertThat(results.get().failures()).containsOnlyKeys("key");
        assertThat(results.get().failures().get("key"))
                .isInstanceOf(LoadFailedException.class)
                .hasMessageStartingWith("a load waits for its own value: cache=texts.");
    }

    @Test
    void permitsAreFreeAfterNestedLoads() {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(2));
        for (int round = 0; round < 10; round++) {
            String page = "page" + round;
            assertThat(cache.get(page, key -> cache.get("user of " + key, this::user)))
                    .isEqualTo("user of user of " + page);
        }

        CountDownLatch both = new CountDownLatch(2);
        List<String> keys = List.of("one", "two");

        assertThat(cache.getAll(keys, key -> {
                    both.countDown();
                    both.await(); // needs two permits at the same time
                    return key;
                }))
                .containsOnlyKeys(keys);
    }

    @Test
    void keyThatLoadsItselfIsAnErrorAtOnce() {
        Cache<String> cache = REDIS.cache(options(false));

        assertThatThrownBy(() -> cache.get("key", key -> cache.get(key, this::user)))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("a load waits for its own value: cache=texts."
                        + " A loader must not request its own key, directly or through the loaders of other keys.");
        assertThat(cache.get("key", this::user)).isEqualTo("user of key");
    }

    @Test
    void keysOfTwoCachesThatLoadEachOtherAreAnErrorAtOnce() {
        Cache<String> pages = REDIS.cache(options(false));
        Cache<String> users = users(options(false));

        assertThatThrownBy(() -> pages.get("page", page -> users.get("user", user -> pages.get(page, this::user))))
                .isInstanceOf(LoadFailedException.class)
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("a load waits for its own value: cache=");
    }

    @Test
    void loadersThatRequestEachOtherAtTheSameTimeDoNotWaitForTheirDeadlines() throws Exception {
        Cache<String> cache = REDIS.cache(options(false));
        for (int round = 0; round < 200; round++) {
            String one = "one" + round;
            String other = "other" + round;
            CountDownLatch bothRun = new CountDownLatch(2);
            AtomicInteger next = new AtomicInteger();

            List<Throwable> failures = ConcurrentCallers.callAll(2, () -> {
                boolean first = next.getAndIncrement() == 0;
                return catchThrowable(() -> cache.get(first ? one : other, key -> {
                    bothRun.countDown();
                    bothRun.await();
                    return cache.get(first ? other : one, this::user);
                }));
            });

            // At least one loader finds the cycle. The other loader then gets the failure as its cause.
            assertThat(failures)
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(LoadFailedException.class)
                            .rootCause()
                            .hasMessageStartingWith("a load waits for its own value: cache=texts."));
        }
    }
}
