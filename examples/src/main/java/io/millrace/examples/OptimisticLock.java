// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Transaction;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.client.command.Transactions;

/**
 * Sells from a stock and records the buyer, in one transaction. The program never sells more than the stock, even if
 * several sellers run concurrently.
 */
public final class OptimisticLock {

    private static final int MAX_ATTEMPTS = 100;

    static final String STOCK = "example:stock";
    static final String BUYERS = "example:buyers";

    /** Result of a sale. */
    enum Sale {
        SOLD,
        /** The stock is smaller than the quantity. Nothing was sold. */
        SOLD_OUT,
        /** Other sellers changed the stock in every attempt. Nothing was sold. */
        BUSY
    }

    private OptimisticLock() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set(STOCK, "5"));
            System.out.println("Ada wants 3 of 5: " + sell(client, "Ada", 3));
            System.out.println("Grace orders 3, and 2 are left: " + sell(client, "Grace", 3));
            client.call(Keys.delete(STOCK, BUYERS));
        }
    }

    /**
     * Sells {@code quantity}.
     *
     * @throws io.millrace.client.exception.RedisException if a command failed. If {@code maybeExecuted} of the
     *     exception is true, the sale may have taken place; if it is false, nothing was sold
     */
    static Sale sell(RedisClient client, String buyer, long quantity) {
        // snippet: optimistic-lock
        try (DedicatedConnection connection = client.borrow()) {
            for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
                connection.call(Transactions.watch(STOCK));
                long stock =
                        connection.call(Strings.get(STOCK)).map(Long::parseLong).orElse(0L);
                if (stock < quantity) {
                    // Without UNWATCH, the client would close the returned connection instead of reusing it.
                    connection.call(Transactions.unwatch());
                    return Sale.SOLD_OUT;
                }
                Transaction sale = connection.transaction();
                sale.add(Strings.decrement(STOCK, quantity));
                sale.add(Lists.pushRight(BUYERS, buyer));
                if (sale.run() == Transaction.Ending.EXECUTED) {
                    return Sale.SOLD;
                }
                // Another seller has changed the stock after it was read. The server executed nothing: try again.
            }
            return Sale.BUSY;
        }
        // end
    }
}
