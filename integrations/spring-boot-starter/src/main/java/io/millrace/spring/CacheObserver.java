// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.Cache;

/** Observes the caches, for metrics. */
@FunctionalInterface
interface CacheObserver {

    /** Called once for each cache, also for a cache that is created later. */
    void created(Cache<?> cache);
}
