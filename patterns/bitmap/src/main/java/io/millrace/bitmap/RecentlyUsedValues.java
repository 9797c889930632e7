// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The compressed sets that single marks have used last. Callers must not change these sets. Thread-safe.
 *
 * <p>The memory of the sets is limited. A mark in another set fetches this set again. The set that was used last stays in
 * memory even if this set alone exceeds the limit, because otherwise each mark would fetch the set.
 */
final class RecentlyUsedValues {

    /** Maximum memory of the sets: enough for some events of this day and the day before. */
    static final long MAX_BYTES = 64L << 20;

    private record Sized(CompressedValue value, long bytes) {}

    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock. The least recently used value is first.
    private final LinkedHashMap<String, Sized> values = new LinkedHashMap<>(16, 0.75f, true);

    // Guarded by the lock: the sum of the bytes of all values.
    private long bytes;

    // Guarded by the lock: the fetches in progress.
    private final Map<String, CompletableFuture<CompressedValue>> fetches = new HashMap<>();

    RecentlyUsedValues(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Returns the value that was put last for {@code key}. Without such a value, returns the value of a missing key. */
    CompressedValue get(String key) {
        lock.lock();
        try {
            Sized known = values.get(key);
            return known == null ? CompressedValue.MISSING : known.value();
        } finally {
            lock.unlock();
        }
    }

    void put(String key, CompressedValue value) {
        long size = value.set().getLongSizeInBytes();
        lock.lock();
        try {
            Sized before = values.put(key, new Sized(value, size));
            bytes += size - (before == null ? 0 : before.bytes());
            while (bytes > maxBytes && values.size() > 1) {
                bytes -= values.pollFirstEntry().getValue().bytes();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a value of {@code key} that is newer than the value with the stamp {@code old}. Fetches the value if this
     * object has only the old value. If another caller already fetches the value, waits for this fetch.
     */
    CompressedValue fetched(String key, byte[] old, Supplier<CompressedValue> fetch) {
        CompletableFuture<CompressedValue> own = new CompletableFuture<>();
        CompletableFuture<CompressedValue> running;
        lock.lock();
        try {
            CompressedValue known = get(key);
            if (!Arrays.equals(known.stamp(), old)) {
                return known;
            }
            running = fetches.putIfAbsent(key, own);
        } finally {
            lock.unlock();
        }
        return running == null ? fetch(key, own, fetch) : Futures.await(running);
    }

    private CompressedValue fetch(String key, CompletableFuture<CompressedValue> own, Supplier<CompressedValue> fetch) {
        CompressedValue value = null;
        try {
            value = fetch.get();
            put(key, value);
            return value;
        } catch (RuntimeException e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            lock.lock();
            try {
                var unused = fetches.remove(key);
            } finally {
                lock.unlock();
            }
            complete(own, value);
        }
    }

    /** Ends the waits of the other callers. The future is already complete after a {@link RuntimeException}. */
    private static void complete(CompletableFuture<CompressedValue> own, @Nullable CompressedValue value) {
        if (value == null) {
            own.completeExceptionally(new BitmapException("a compressed set was not read. Mark again."));
        } else {
            own.complete(value);
        }
    }
}
