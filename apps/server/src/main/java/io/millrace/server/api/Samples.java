// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.CacheStats;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** Samples the counters every second, and keeps the samples of ten minutes: about half a megabyte. Thread-safe. */
@Component
class Samples implements DisposableBean {

    static final int KEPT = 600;

    private final RedisClient client;
    private final CacheList caches;
    private final Answers answers;
    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();

    /** Samples as JSON, oldest first. Guarded by {@link #lock}. */
    private final Deque<String> kept = new ArrayDeque<>();

    /** Number of samples since the start. Guarded by {@link #lock}. */
    private long count;

    /** The counters at one moment. */
    record Sample(
            long time,
            CommandCounts commands,
            Map<String, CacheStats> caches,
            long heapUsed,
            long heapMax,
            boolean connected) {}

    /** The newest sample and its number. */
    record Numbered(long number, String json) {}

    Samples(RedisClient client, CacheList caches, Answers answers) {
        this.client = client;
        this.caches = caches;
        this.answers = answers;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("millrace-server-samples").factory());
        take();
        var unused = timer.scheduleAtFixedRate(this::take, 1, 1, TimeUnit.SECONDS);
    }

    private void take() {
        Runtime jvm = Runtime.getRuntime();
        String json = answers.json(new Sample(
                System.currentTimeMillis(),
                client.stats().counts(),
                caches.stats(),
                jvm.totalMemory() - jvm.freeMemory(),
                jvm.maxMemory(),
                client.isOpen()));
        lock.lock();
        try {
            kept.addLast(json);
            count++;
            if (kept.size() > KEPT) {
                var unused = kept.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    Numbered newest() {
        lock.lock();
        try {
            return new Numbered(count, kept.getLast());
        } finally {
            lock.unlock();
        }
    }

    /** All kept samples as one array of JSON, oldest first. */
    Numbered history() {
        lock.lock();
        try {
            return new Numbered(count, "[" + String.join(",", List.copyOf(kept)) + "]");
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void destroy() {
        timer.shutdownNow();
    }
}
