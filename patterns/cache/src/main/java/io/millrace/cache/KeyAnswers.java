// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a lookup of many keys, while the lookup collects the answers. Not thread-safe.
 *
 * <p>DESIGN. A lookup of a thousand keys costs little more than its {@code MGET} only if each key is hashed once, and if
 * few objects are allocated for each key. So one map in the order of the keys contains the values for the caller, and a
 * mark for each key without a value.
 */
final class KeyAnswers<V> {

    /** The mark of a key without a value. */
    private static final Pending PENDING = new Pending();

    private static final class Pending {}

    private final Lookups<V> lookups;

    /** Contains the value or the mark of each key, in the order of the lookup. */
    private final LinkedHashMap<String, Object> values;

    private final Map<String, CacheException> failures = new HashMap<>();

    /** Number of marks. */
    private int pending;

    /** @param keys number of keys that will be added */
    KeyAnswers(Lookups<V> lookups, int keys) {
        this.lookups = lookups;
        this.values = LinkedHashMap.newLinkedHashMap(keys);
    }

    /** Adds the value of a key. Returns false if the key was added before. */
    boolean add(String key, V value) {
        Object before = values.put(key, value);
        if (before == PENDING) {
            pending--;
        }
        return before == null;
    }

    /** Adds a key whose value is not known yet. Returns false, and does nothing, if the key was added before. */
    boolean addPending(String key) {
        if (values.putIfAbsent(key, PENDING) != null) {
            return false;
        }
        pending++;
        return true;
    }

    /** Sets the answer of a key that was added. A negative entry is neither a value nor a failure. */
    void answer(String key, Entry<V> entry) {
        @Nullable V value = entry.value();
        if (value != null) {
            boolean unused = add(key, value);
        } else if (entry.kind() == Entry.Kind.FAILURE) {
            fail(key, lookups.cachedFailure(entry));
        }
    }

    void fail(String key, CacheException failure) {
        failures.put(key, failure);
    }

    /** Returns the results. Must be the last call. */
    LookupResults<V> results() {
        if (pending == 0) {
            return new LookupResults<>(Collections.unmodifiableMap(values()), Map.of());
        }
        Map<String, CacheException> ordered = new LinkedHashMap<>();
        values.entrySet().removeIf(slot -> {
            if (slot.getValue() != PENDING) {
                return false;
            }
            CacheException failure = failures.get(slot.getKey());
            if (failure != null) {
                ordered.put(slot.getKey(), failure);
            }
            return true;
        });
        return new LookupResults<>(Collections.unmodifiableMap(values()), Collections.unmodifiableMap(ordered));
    }

    @SuppressWarnings("unchecked") // the map now contains only values
    private Map<String, V> values() {
        return (Map<String, V>) (Map<String, ?>) values;
    }
}
