// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.CacheStats;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.server.loads.EventStreams.Event;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Samples the counters every second, and keeps the samples of ten minutes: about half a megabyte. Thread-safe.
 *
 * <p>DESIGN. All streams share the bytes of an event. The history is encoded at most once for each sample, when the first new
 * stream asks. Streams that open within the same second share one history. 200 blocked streams therefore hold few histories.
 */
@Component
class Samples implements DisposableBean {

    static final int KEPT = 600;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    /** Creates the JSON of a sample. */
    private final Supplier<String> source;

    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();

    /** Samples as JSON, oldest first. Guarded by {@link #lock}. */
    private final Deque<String> kept = new ArrayDeque<>();

    /** Number of samples since the start. Guarded by {@link #lock}. */
    private long count;

    /** The newest sample, and all kept samples; null until the first sample or the first stream. Guarded by {@link #lock}. */
    private @Nullable Event newest;

    private @Nullable Event history;

    /** Whether the last sample has failed. Used by the thread that samples. */
    private boolean failing;

    /** The counters at one moment. */
    record Sample(
            long time,
            CommandCounts commands,
            Map<String, CacheStats> caches,
            long heapUsed,
            long heapMax,
            boolean connected) {}

    @Autowired
    Samples(RedisClient client, CacheList caches, Answers answers) {
        this(() -> answers.json(sample(client, caches)));
        take();
        var unused = timer.scheduleAtFixedRate(this::take, 1, 1, TimeUnit.SECONDS);
    }

    /** Samples only if {@link #take} is called. */
    Samples(Supplier<String> source) {
        this.source = source;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("millrace-server-samples").factory());
    }

    private static Sample sample(RedisClient client, CacheList caches) {
        Runtime jvm = Runtime.getRuntime();
        return new Sample(
                System.currentTimeMillis(),
                client.stats().counts(),
                caches.stats(),
                jvm.totalMemory() - jvm.freeMemory(),
                jvm.maxMemory(),
                client.isOpen());
    }

    /** Takes a sample. Never throws, because the timer would not call again. */
    final void take() {
        try {
            add(source.get());
            failing = false;
        } catch (RuntimeException | Error failed) {
            if (!failing) {
                LOGGER.log(System.Logger.Level.ERROR, "the counters were not sampled, and are sampled again", failed);
            }
            failing = true;
        }
    }

    private void add(String json) {
        lock.lock();
        try {
            newest = Event.of(count + 1, "sample", json, false);
            history = null;
            kept.addLast(json);
            count++;
            if (kept.size() > KEPT) {
                var unused = kept.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the history if {@code version} is negative, and the newest sample if it is newer; null otherwise. */
    @Nullable
    Event after(long version) {
        lock.lock();
        try {
            return version < 0 ? history() : count > version ? newest : null;
        } finally {
            lock.unlock();
        }
    }

    /** All kept samples as one array of JSON, oldest first. The caller holds the lock. */
    private Event history() {
        Event encoded = history;
        if (encoded == null) {
            encoded = Event.of(count, "history", "[" + String.join(",", kept) + "]", false);
            history = encoded;
        }
        return encoded;
    }

    @Override
    public void destroy() {
        timer.shutdownNow();
    }
}
