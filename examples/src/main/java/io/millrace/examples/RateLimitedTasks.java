// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Retry;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.tasks.TaskFunction;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Fetches the prices of 1,000 products from a service that allows 1,000 calls per second, and stores the prices in a
 * hash. A call takes 50 ms, so 100 concurrent consumers without a rate would make 2,000 calls per second.
 */
public final class RateLimitedTasks {

    static final String PRICES = "example:prices";

    private RateLimitedTasks() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        List<String> products = IntStream.range(0, 1_000)
                .mapToObj(number -> "product " + number)
                .toList();
        Set<String> called = ConcurrentHashMap.newKeySet();
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            fetch(client, products, product -> slowService(product, called.add(product)));
            client.call(Keys.delete(PRICES));
        }
    }

    /** Fetches the price of each product, stores the prices, and prints and returns the report of the flow. */
    static TaskFlowReport<String> fetch(
            RedisClient client, List<String> products, TaskFunction<String, String> service) {
        // snippet: rate
        TaskFlowReport<String> report = TaskFlow.of(products) // 1,000 products
                .name("prices")
                .consumers(100) // at most 100 calls of the service at the same time
                .rate(1_000) // at most 1,000 calls per second, with the repeated calls
                .deadline(Duration.ofSeconds(10)) // for one product, with all its attempts
                .retry(Retry.of(3).on(IOException.class)) // at most three attempts per product
                .continueOnFailure() // a product without a price does not stop the flow
                .run(product -> client.call(Hashes.set(PRICES, product, service.apply(product))));

        System.out.println(report.counts());
        for (Outcome<String, ?> failure : report.failures()) {
            System.out.println(failure);
        }
        // end
        return report;
    }

    /** Product 13 has no price. For every hundredth product the first call fails. */
    private static String slowService(String product, boolean firstCall) throws IOException, InterruptedException {
        Thread.sleep(50);
        if (product.equals("product 13") || (firstCall && product.endsWith("00"))) {
            throw new IOException("no answer");
        }
        return product.length() + ".99";
    }
}
