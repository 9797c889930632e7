// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The answers of a lookup of many keys, while the lookup collects the answers. Not thread-safe.
 *
 * <p>DESIGN. A lookup of a thousand keys costs little more than its {@code MGET} only if each key is hashed once. So one
 * map in the order of the keys contains first a mark for each key, then the answers, and at the end the values for the
 * caller. The lookup sets the answers through the entries of the map, which it keeps in a list.
 */
final class KeyAnswers<V> {

    /** The mark of a key without an answer. */
    private static final Object PENDING = new Object();

    /** Contains the mark, an {@link Entry} or a {@link CacheException} for each key, and values at the end. */
    private final LinkedHashMap<String, Object> answers;

    KeyAnswers(Collection<String> keys) {
        this.answers = LinkedHashMap.newLinkedHashMap(keys.size());
        for (String key : keys) {
            answers.put(key, PENDING);
        }
    }

    /** Returns a slot for each key, without duplicates and in the order of the lookup. */
    List<Map.Entry<String, Object>> slots() {
        return new ArrayList<>(answers.entrySet());
    }

    void answer(String key, Entry<V> entry) {
        answers.put(key, entry);
    }

    void fail(String key, CacheException failure) {
        answers.put(key, failure);
    }

    /** Returns the results. A negative entry is neither a value nor a failure. Must be the last call. */
    LookupResults<V> results(Lookups<V> lookups) {
        Map<String, CacheException> failures = new LinkedHashMap<>();
        Iterator<Map.Entry<String, Object>> slots = answers.entrySet().iterator();
        while (slots.hasNext()) {
            Map.Entry<String, Object> slot = slots.next();
            Object value = slot.getValue() instanceof Entry<?> entry ? entry.value() : null;
            if (value != null) {
                slot.setValue(value);
                continue;
            }
            if (slot.getValue() instanceof CacheException failure) {
                failures.put(slot.getKey(), failure);
            } else if (slot.getValue() instanceof Entry<?> entry && entry.kind() == Entry.Kind.FAILURE) {
                failures.put(slot.getKey(), lookups.cachedFailure(entry));
            }
            slots.remove();
        }
        return new LookupResults<>(Collections.unmodifiableMap(values()), Collections.unmodifiableMap(failures));
    }

    @SuppressWarnings("unchecked") // the map now contains only values
    private Map<String, V> values() {
        return (Map<String, V>) (Map<String, ?>) answers;
    }
}
