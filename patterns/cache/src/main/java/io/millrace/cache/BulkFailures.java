// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Collects the keys whose values a {@link BulkLoader} could not compute. Thread-safe. */
public final class BulkFailures {

    private final Set<String> keys;
    private final Map<String, Throwable> causes = new ConcurrentHashMap<>();

    BulkFailures(Set<String> keys) {
        this.keys = keys;
    }

    /**
     * Records that the value of {@code key} could not be computed. The caller of the lookup gets {@code cause} as the
     * cause of a {@link LoadFailedException}. A second failure of a key is ignored.
     *
     * @throws IllegalArgumentException if the loader was not asked for this key
     */
    public void add(String key, Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        if (!keys.contains(key)) {
            throw new IllegalArgumentException(
                    "a bulk loader reported a failure for a key that it was not asked for: keys=" + keys.size()
                            + ". Report failures only for the keys of the call.");
        }
        causes.putIfAbsent(key, cause);
    }

    /** Returns the cause of the failure; null if the key has not failed. */
    @Nullable
    Throwable cause(String key) {
        return causes.get(key);
    }
}
