// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The compressed sets that single marks have used last. Callers must not change these sets. Thread-safe.
 *
 * <p>The number of sets is limited, because a set can take some megabytes. A mark in another set fetches this set again.
 */
final class RecentlyUsedValues {

    /** Maximum number of sets: enough for some events of this day and the day before. */
    private static final int MAX_VALUES = 16;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock. The least recently used value is first.
    private final LinkedHashMap<String, CompressedValue> values = new LinkedHashMap<>(MAX_VALUES, 0.75f, true);

    /** Returns the value that was put last for {@code key}. Without such a value, returns the value of a missing key. */
    CompressedValue get(String key) {
        lock.lock();
        try {
            CompressedValue value = values.get(key);
            return value == null ? CompressedValue.MISSING : value;
        } finally {
            lock.unlock();
        }
    }

    void put(String key, CompressedValue value) {
        lock.lock();
        try {
            values.put(key, value);
            if (values.size() > MAX_VALUES) {
                var unused = values.pollFirstEntry();
            }
        } finally {
            lock.unlock();
        }
    }
}
