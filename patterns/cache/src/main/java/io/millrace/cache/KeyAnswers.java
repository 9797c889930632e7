// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The answers of a lookup of many keys, while the lookup collects the answers. Not thread-safe. */
final class KeyAnswers<V> {

    private final Set<String> keys;
    private final Map<String, Entry<V>> entries = new HashMap<>();
    private final Map<String, CacheException> failures = new HashMap<>();

    KeyAnswers(Collection<String> keys) {
        this.keys = new LinkedHashSet<>(keys);
    }

    /** Returns the requested keys without duplicates, in the order of the lookup. */
    Set<String> keys() {
        return keys;
    }

    void answer(String key, Entry<V> entry) {
        entries.put(key, entry);
    }

    void fail(String key, CacheException failure) {
        failures.put(key, failure);
    }

    /** Returns the results. A negative entry is neither a value nor a failure. */
    LookupResults<V> results(Lookups<V> lookups) {
        Map<String, V> values = new LinkedHashMap<>();
        Map<String, CacheException> failed = new LinkedHashMap<>();
        for (String key : keys) {
            Entry<V> entry = entries.get(key);
            CacheException failure = failures.get(key);
            if (entry != null && entry.kind() == Entry.Kind.VALUE) {
                values.put(key, entry.requireValue());
            } else if (entry != null && entry.kind() == Entry.Kind.FAILURE) {
                failed.put(key, lookups.cachedFailure(entry));
            } else if (failure != null) {
                failed.put(key, failure);
            }
        }
        return new LookupResults<>(Collections.unmodifiableMap(values), Collections.unmodifiableMap(failed));
    }
}
