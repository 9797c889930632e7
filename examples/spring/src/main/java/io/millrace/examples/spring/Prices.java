// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Prices that are slow to compute. */
@Service
class Prices {

    /** A price, stored as JSON. */
    record Price(String product, long cents) {}

    private final AtomicInteger computations = new AtomicInteger();

    // snippet: cached-method
    @Cacheable(cacheNames = "prices", sync = true) // one computation per key, on the thread of its caller
    public Price of(String product) {
        computations.incrementAndGet();
        return new Price(product, 100L * product.length());
    }

    @CacheEvict("prices")
    public void changed(String product) {}
    // end

    /** Number of computations. A method, because the fields of a proxy are empty. */
    public int computations() {
        return computations.get();
    }
}
