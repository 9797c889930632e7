// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;

/**
 * How long each entry lives.
 *
 * @param <V> a value
 */
@FunctionalInterface
public interface Lifetime<V> {

    /** The time to live of {@code value}, 1 ms to 365 days; what is outside of that is taken for the nearest of both. */
    Duration of(String key, V value);
}
