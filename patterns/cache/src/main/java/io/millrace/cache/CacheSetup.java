// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;

/** The checked settings of a new cache. */
record CacheSetup<V>(
        RedisClient client,
        String name,
        Codec<V> codec,
        CacheOptions options,
        ExpiryPolicy<? super V> expiryPolicy,
        Format format,
        NearCache<V> nearCache,
        LoadThreads threads,
        ClockAndRandom clockAndRandom) {}
