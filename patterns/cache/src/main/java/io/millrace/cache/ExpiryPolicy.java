// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;

/**
 * Computes the time to live of each entry.
 *
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface ExpiryPolicy<V> {

    /**
     * Returns the time to live of {@code value}, 1 ms to 365 days. A result outside of this range is replaced by the
     * nearest limit.
     */
    Duration timeToLive(String key, V value);
}
