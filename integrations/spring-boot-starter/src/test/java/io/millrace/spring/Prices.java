// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A service with cached methods of all kinds. */
class Prices {

    /** A value with a generic part. */
    record Price(String product, long cents, List<String> tags) {}

    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private volatile @Nullable Thread caller;

    /** Number of calls of all methods. A method, because the fields of a proxy are empty. */
    public int calls() {
        return calls.get();
    }

    /** Thread of the last call of {@link #sync}. */
    public @Nullable Thread caller() {
        return caller;
    }

    /** Lets the methods that wait return. */
    public void openGate() {
        gate.countDown();
    }

    @Cacheable("plain")
    public Price plain(String product) {
        return new Price(product, calls.incrementAndGet(), List.of("a"));
    }

    @CachePut("plain")
    public Price put(String product) {
        return new Price(product, calls.incrementAndGet(), List.of());
    }

    @CacheEvict("plain")
    public void evict(String product) {
        calls.incrementAndGet();
    }

    @CacheEvict(cacheNames = "plain", allEntries = true)
    public void evictAll() {
        calls.incrementAndGet();
    }

    @Cacheable("lists")
    public Map<String, List<Price>> lists(String product, int count) {
        return Map.of(product, List.of(new Price(product, calls.incrementAndGet() + count, List.of())));
    }

    @Cacheable("nulls")
    public @Nullable String nothing(String product) {
        calls.incrementAndGet();
        return null;
    }

    @Cacheable(cacheNames = "nulls", sync = true)
    public @Nullable String nothingSync(String product) {
        return nothing(product);
    }

    @Cacheable(cacheNames = "nulls", sync = true)
    public CompletableFuture<@Nullable String> nothingFuture(String product) {
        return CompletableFuture.completedFuture(nothing(product));
    }

    @Cacheable(cacheNames = "nulls", sync = true)
    public Mono<String> nothingMono(String product) {
        return Mono.fromCallable(() -> nothing(product));
    }

    @CachePut(cacheNames = "nulls", key = "#product")
    public @Nullable String putOrNothing(String product, @Nullable String value) {
        return value;
    }

    @Cacheable("optionals")
    public Optional<String> optional(String product) {
        calls.incrementAndGet();
        return product.isEmpty() ? Optional.empty() : Optional.of(product);
    }

    @Cacheable(cacheNames = "sync", sync = true)
    public String sync(String product) throws InterruptedException {
        caller = Thread.currentThread();
        calls.incrementAndGet();
        gate.await();
        return product;
    }

    @Cacheable(cacheNames = "failing", sync = true)
    public String failing(String product) {
        calls.incrementAndGet();
        throw new IllegalStateException("no price of " + product);
    }

    @Cacheable(cacheNames = "failing", sync = true)
    public String unreadable(String product) throws IOException {
        calls.incrementAndGet();
        throw new IOException("no file of " + product);
    }

    @Cacheable(cacheNames = "futures", sync = true)
    public CompletableFuture<Price> future(String product) {
        int call = calls.incrementAndGet();
        return CompletableFuture.supplyAsync(() -> {
            await();
            return new Price(product, call, List.of());
        });
    }

    @Cacheable("plainFutures")
    public CompletableFuture<String> plainFuture(String product) {
        calls.incrementAndGet();
        return CompletableFuture.completedFuture(product);
    }

    @Cacheable(cacheNames = "failingFutures", sync = true)
    public CompletableFuture<String> failingFuture(String product) {
        calls.incrementAndGet();
        return CompletableFuture.failedFuture(new IllegalStateException("no price of " + product));
    }

    @Cacheable(cacheNames = "monos", sync = true)
    public Mono<String> mono(String product) {
        return Mono.fromCallable(() -> {
            calls.incrementAndGet();
            await();
            return product;
        });
    }

    @Cacheable("fluxes")
    public Flux<String> flux(String product) {
        calls.incrementAndGet();
        return Flux.just(product, product);
    }

    @Cacheable("longs")
    public long primitive(long id) {
        return id + calls.incrementAndGet();
    }

    private void await() {
        try {
            gate.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
