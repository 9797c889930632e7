// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Hashes;
import io.millrace.spring.LoadEnded;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Prints what the application has loaded and cached. */
@Component
class ShopReport implements CommandLineRunner {

    // snippet: client-bean
    private final RedisClient redis;
    private final Prices prices;

    ShopReport(RedisClient redis, Prices prices) {
        this.redis = redis;
        this.prices = prices;
    }

    /** Runs after the loads, because a runner of the application runs after the runner of the jobs. */
    @Override
    public void run(String... args) {
        System.out.println("product 1: " + redis.call(Hashes.getAll("example:product:1")));
        // end
        System.out.println("price: " + prices.of("pen"));
        System.out.println("price: " + prices.of("pen"));
        System.out.println("computations: " + prices.computations());
        prices.changed("pen");
    }

    // snippet: load-event
    @EventListener
    void print(LoadEnded ended) {
        System.out.println(
                ended.run().job() + ": " + ended.run().report().rows().written() + " rows in "
                        + Math.round(ended.run().report().seconds() * 1_000) + " ms, complete: "
                        + ended.run().isComplete());
    }
    // end
}
