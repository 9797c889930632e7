// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisException;
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
 * Callers that go on asking a cache for a few keys, one that goes on changing them, and a note of what callers should not have got. The
 * source of each key has a version, which a value names beside its key: {@code 7#12}. So it shows when a value comes under another
 * key, or is older than a removal that was over before the question.
 */
final class Traffic implements AutoCloseable {

    private static final int CALLERS = 16;
    private static final int KEYS = 20;
    private static final long PAUSE_NANOS = 200_000;
    private static final long PAUSE_OF_CHANGES_NANOS = 3_000_000;

    /** Beyond the deadline, for a machine that is busy. */
    private static final Duration LATENESS = Duration.ofSeconds(5);

    private final Cache<String> cache;
    private final CacheOptions options;
    private final AtomicLongArray source = new AtomicLongArray(KEYS);

    /** No value that is older may be got by who asks from now on. Written by the one that changes, and at the end of trouble. */
    private final AtomicLongArray floor = new AtomicLongArray(KEYS);

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong changes = new AtomicLong();
    private final Semaphore mayChange = new Semaphore(1);
    private final List<Thread> threads = new ArrayList<>();

    /** Odd while there is trouble. */
    private final AtomicInteger times = new AtomicInteger();

    private volatile boolean stopped;

    Traffic(Cache<String> cache, CacheOptions options, Random random) {
        this.cache = cache;
        this.options = options;
        for (int caller = 0; caller < CALLERS; caller++) {
            Random own = new Random(random.nextLong());
            threads.add(Thread.startVirtualThread(() -> ask(own)));
        }
        Random own = new Random(random.nextLong());
        threads.add(Thread.startVirtualThread(() -> change(own)));
    }

    private void ask(Random random) {
        while (!stopped) {
            int key = random.nextInt(KEYS);
            int time = times.get();
            long atLeast = floor.get(key);
            long begun = System.nanoTime();
            String got;
            try {
                got = cache.get(Integer.toString(key), this::load);
                note(key, isRight(key, got, time, atLeast) ? "" : got + ", at least " + atLeast, begun);
            } catch (RuntimeException e) {
                note(key, e.toString(), begun);
            }
            answers.incrementAndGet();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private boolean isRight(int key, String got, int time, long atLeast) {
        if (!got.startsWith(key + "#")) {
            return false;
        }
        // What a command whose reply did not come may do later, is only under control with a lease.
        boolean bound =
                time == times.get() && (time % 2 == 0 || !options.lease().isZero());
        return !bound || Long.parseLong(got.substring(got.indexOf('#') + 1)) >= atLeast;
    }

    private void note(int key, String failure, long begun) {
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        if (!failure.isEmpty() || took.compareTo(options.deadline().plus(LATENESS)) > 0) {
            wrong.add("key=" + key + ", took=" + took + ", got=" + failure);
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
                // It is not known whether it was done: so nothing is promised.
            } finally {
                mayChange.release();
            }
            LockSupport.parkNanos(PAUSE_OF_CHANGES_NANOS);
        }
    }

    private String load(String key) {
        return key + "#" + source.get(Integer.parseInt(key));
    }

    /** Commands are about to be lost, or to be late. */
    void troubleBegins() {
        times.incrementAndGet();
    }

    /** No more are. */
    void troubleIsOver() throws InterruptedException {
        pauseChanges();
        if (options.lease().isZero()) {
            for (int key = 0; key < KEYS; key++) {
                floor.set(key, 0);
            }
        }
        times.incrementAndGet();
        resumeChanges();
    }

    /** Returns when nothing is being changed, until {@link #resumeChanges}. */
    void pauseChanges() throws InterruptedException {
        mayChange.acquire();
    }

    void resumeChanges() {
        mayChange.release();
    }

    /** Waits until so many more answers have come. */
    void await(long more) {
        long before = answers.get();
        Eventually.holds("answers go on", answers::get, now -> now >= before + more);
    }

    /** Waits until so many more answers were found, and something was changed. */
    void awaitHits(long more) {
        long before = hits(cache.counts());
        long changed = changes.get();
        Eventually.holds("hits are back", cache::counts, now -> hits(now) >= before + more);
        Eventually.holds("changes are", changes::get, now -> now > changed + more / 10);
    }

    /** The part of hits among the next lookups. */
    double hitRate(long lookups) {
        CacheCounts before = cache.counts();
        await(lookups);
        CacheCounts now = cache.counts();
        return (double) (hits(now) - hits(before)) / (now.lookups() - before.lookups());
    }

    private static long hits(CacheCounts counts) {
        return counts.hits() + counts.nearHits();
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
    }
}
