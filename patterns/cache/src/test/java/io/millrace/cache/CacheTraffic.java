// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Continuous load on a cache: threads that read a few keys, and one thread that changes the keys. The class checks each
 * answer and records wrong answers. Each key has a version, which grows with each change. A loaded value consists of
 * the key and its version at that time, as in {@code 7#12}. An answer is wrong if its value belongs to another key, or
 * if its value is older than a removal that ended before the read began.
 */
final class CacheTraffic implements AutoCloseable {

    private static final int CALLERS = 16;
    private static final int KEYS = 20;
    private static final long PAUSE_NANOS = 200_000;
    private static final long CHANGE_PAUSE_NANOS = 3_000_000;

    /** Tolerance above the deadline, for a busy machine. */
    private static final Duration TOLERANCE = Duration.ofSeconds(50);

    private final Cache<String> cache;
    private final CacheOptions options;
    private final AtomicLongArray source = new AtomicLongArray(KEYS);

    /**
     * For each key, the minimum version that a read may return if the read begins now. Written by the changing thread
     * and by {@link #endFault}.
     */
    private final AtomicLongArray floor = new AtomicLongArray(KEYS);

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong changes = new AtomicLong();
    private final Semaphore mayChange = new Semaphore(1);
    private final List<Thread> threads = new ArrayList<>();

    /** Number of phase changes; odd during a fault. */
    private final AtomicInteger phases = new AtomicInteger();

    private volatile boolean stopped;

    CacheTraffic(Cache<String> cache, CacheOptions options, Random random) {
        this.cache = cache;
        this.options = options;
        for (int caller = 0; caller < CALLERS; caller++) {
            Random seeded = new Random(random.nextLong());
            threads.add(Thread.startVirtualThread(() -> ask(seeded)));
        }
        Random seeded = new Random(random.nextLong());
        threads.add(Thread.startVirtualThread(() -> change(seeded)));
    }

    private void ask(Random random) {
        while (!stopped) {
            int key = random.nextInt(KEYS);
            int phase = phases.get();
            long atLeast = floor.get(key);
            long begun = System.nanoTime();
            String got;
            try {
                got = cache.get(Integer.toString(key), this::load);
                recordAnswer(
                        key, isRight(key, got, phase, atLeast) ? "" : got + ", expected at least " + atLeast, begun);
            } catch (RuntimeException e) {
                recordAnswer(key, e.toString(), begun);
            }
            answers.incrementAndGet();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private boolean isRight(int key, String got, int phase, long atLeast) {
        if (!got.startsWith(key + "#")) {
            return false;
        }
        // A command without a reply may still change the entry later. Only a lease prevents such a change.
        boolean guaranteed =
                phase == phases.get() && (phase % 2 == 0 || !options.lease().isZero());
        return !guaranteed || Long.parseLong(got.substring(got.indexOf('#') + 1)) >= atLeast;
    }

    private void recordAnswer(int key, String failure, long begun) {
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        if (!failure.isEmpty() || took.compareTo(options.deadline().plus(TOLERANCE)) > 0) {
            failures.add("key=" + key + ", duration=" + took + ", answer=" + failure);
        }
    }

    private void change(Random random) {
        while (!stopped) {
            mayChange.acquireUninterruptibly();
            try {
                int key = random.nextInt(KEYS);
                long version = source.incrementAndGet(key);
                if (random.nextBoolean()) {
                    cache.put(Integer.toString(key), key + "#" + version);
                } else {
                    cache.remove(Integer.toString(key));
                }
                floor.set(key, version);
                changes.incrementAndGet();
            } catch (RedisException e) {
                // The result of the change is unknown, so the minimum version does not change.
            } finally {
                mayChange.release();
            }
            LockSupport.parkNanos(CHANGE_PAUSE_NANOS);
        }
    }

    private String load(String key) {
        return key + "#" + source.get(Integer.parseInt(key));
    }

    /** Begins a fault phase: commands may be lost or late. */
    void beginFault() {
        phases.incrementAndGet();
    }

    /** Ends a fault phase. */
    void endFault() throws InterruptedException {
        pauseChanges();
        if (options.lease().isZero()) {
            for (int key = 0; key < KEYS; key++) {
                floor.set(key, 0);
            }
        }
        phases.incrementAndGet();
        resumeChanges();
    }

    /** Stops the changes until {@link #resumeChanges}. Blocks until the current change has ended. */
    void pauseChanges() throws InterruptedException {
        mayChange.acquire();
    }

    void resumeChanges() {
        mayChange.release();
    }

    /** Waits for this number of further answers. */
    void awaitAnswers(long more) {
        long before = answers.get();
        Eventually.holds("callers get answers", answers::get, now -> now >= before + more);
    }

    /** Waits for {@code more} further hits, and for about a tenth of this number of further changes. */
    void awaitHits(long more) {
        long before = hits(cache.stats());
        long changed = changes.get();
        Eventually.holds("callers get hits", cache::stats, now -> hits(now) >= before + more);
        Eventually.holds("changes succeed", changes::get, now -> now > changed + more / 10);
    }

    /** Returns the fraction of hits among the next lookups. */
    double hitRate(long lookups) {
        CacheStats before = cache.stats();
        awaitAnswers(lookups);
        CacheStats now = cache.stats();
        return (double) (hits(now) - hits(before)) / (now.lookups() - before.lookups());
    }

    private static long hits(CacheStats counts) {
        return counts.hits() + counts.nearHits();
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }
}
