// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.frameworks.CachedCalls;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.cache.annotation.Cacheable;

/** A method whose results are cached. */
class CachedPrices {

    /** The applications with this method have no database, but its driver is on the class path. */
    static final String DATA_SOURCE = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    private final AtomicLong computations = new AtomicLong();

    /** A value of the cache. */
    record Price(String product, String currency, long cents) {

        static Price of(int number) {
            return new Price(CachedPrices.product(number), "EUR", 100L * number);
        }
    }

    static String product(int number) {
        return "product-" + number;
    }

    @Cacheable(CachedCalls.CACHE)
    public Price of(String product) {
        computations.incrementAndGet();
        return Price.of(Integer.parseInt(product.substring(product.indexOf('-') + 1)));
    }

    /** Calls that found nothing in the cache. */
    public long computations() {
        return computations.get();
    }
}
