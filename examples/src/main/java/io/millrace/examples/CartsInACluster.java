// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.KeySlot;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Transaction;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carts in a Redis Cluster: prices that a bulk writer spreads over all nodes, and a cart and its total, which have one hash slot
 * and change in one transaction. The argument is the URI of the cluster, with the addresses of one or more nodes.
 */
public final class CartsInACluster {

    private static final int PRICES = 1_000;

    private CartsInACluster() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis-cluster://127.0.0.1:7000" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            writePrices(client);
            System.out.println("keys on all nodes: " + client.call(Server.size()));

            // The hash slot of a key with braces depends on the text in the braces only.
            String cart = "{example:cart:7}:items";
            String total = "{example:cart:7}:total";
            System.out.println("one hash slot: " + (KeySlot.of(cart) == KeySlot.of(total)));
            Transaction purchase = client.transaction();
            purchase.add(Hashes.set(cart, "article 12", "1"));
            var newTotal = purchase.add(Strings.increment(total, price(client, 12)));
            System.out.println("bought: " + purchase.run() + ", total: " + newTotal.value());

            // These keys have several hash slots, so no node accepts one DEL for all of them.
            for (int article = 0; article < PRICES; article++) {
                client.call(Keys.delete(key(article)));
            }
            client.call(Keys.delete(cart, total));
        }
    }

    private static String key(int article) {
        return "example:price:" + article;
    }

    private static long price(RedisClient client, int article) {
        return client.call(Strings.get(key(article))).map(Long::parseLong).orElseThrow();
    }

    private static void writePrices(RedisClient client) {
        AtomicLong failed = new AtomicLong();
        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (article, command, outcome) -> {
            if (!(outcome instanceof Outcome.Ok)) {
                failed.incrementAndGet();
            }
        })) {
            for (int article = 0; article < PRICES; article++) {
                writer.begin(Strings.SET).arg(key(article)).arg(article * 10L).end(article);
            }
            writer.finish();
            System.out.println("prices: " + writer.counts().ok() + ", failed: " + failed + ", nodes: "
                    + writer.nodes().size());
        }
    }
}
