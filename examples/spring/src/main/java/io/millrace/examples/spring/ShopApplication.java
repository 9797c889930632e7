// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;

/**
 * A shop that loads its products into Redis before it is ready, and caches slow prices. To run it with the Redis of this
 * machine: {@code ShopApplication --millrace.redis.url=redis://127.0.0.1:6379}
 */
@SpringBootApplication
@EnableCaching
public class ShopApplication {

    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}
