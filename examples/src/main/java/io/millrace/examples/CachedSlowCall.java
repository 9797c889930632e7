// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Caches the results of a slow service in Redis. 100 concurrent callers ask for the same value and cause one call of
 * the service. Two features of the cache prevent further calls: single flight within this process, and a lease in Redis
 * across processes. Later callers get the value from Redis. If the service has no value, the cache stores this fact,
 * too.
 */
public final class CachedSlowCall {

    private static final Map<String, String> CAPITALS =
            new TreeMap<>(Map.of("France", "Paris", "Germany", "Berlin", "Netherlands", "Amsterdam"));

    private final AtomicInteger calls = new AtomicInteger();

    private CachedSlowCall() {}

    public static void main(String[] args) throws Exception {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            System.out.println(new CachedSlowCall().run(client));
        }
    }

    private String run(RedisClient client) throws Exception {
        // snippet: cached-slow-call
        CacheOptions options = CacheOptions.builder()
                .timeToLive(Duration.ofMinutes(10)) // randomly reduced, so that entries do not expire together
                .negativeTimeToLive(Duration.ofMinutes(1))
                .staleFor(Duration.ofMinutes(5)) // an expired value is served during a load
                .lease(Duration.ofSeconds(5)) // only one process at a time loads a value
                .deadline(Duration.ofSeconds(10)) // maximum time of a caller, including all waits
                .build();

        try (Cache<String> capitals = Cache.of(client, "example:capitals", Codec.text(), options)) {
            Set<String> answers = callConcurrently(100, () -> capitals.get("France", this::slowService));
            Map<String, String> several = capitals.getAll(CAPITALS.keySet(), this::slowService);
            Optional<String> none = capitals.find("Atlantis", this::slowSearch);
            Optional<String> stillNone = capitals.find("Atlantis", this::slowSearch);
            // end
            Stream.concat(CAPITALS.keySet().stream(), Stream.of("Atlantis")).forEach(capitals::remove);
            return "100 callers: %s, all capitals: %s, Atlantis: %s, Atlantis again: %s, slow calls: %s"
                    .formatted(answers, several, none, stillNone, calls.get());
        }
    }

    private String slowService(String country) throws InterruptedException {
        return slowSearch(country).orElseThrow();
    }

    private Optional<String> slowSearch(String country) throws InterruptedException {
        calls.incrementAndGet();
        Thread.sleep(200);
        return Optional.ofNullable(CAPITALS.get(country));
    }

    private static Set<String> callConcurrently(int callers, Callable<String> call)
            throws InterruptedException, ExecutionException {
        Set<String> answers = new HashSet<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<String>> tasks =
                    Stream.generate(() -> call).limit(callers).toList();
            for (Future<String> result : threads.invokeAll(tasks)) {
                answers.add(result.get());
            }
        }
        return answers;
    }
}
