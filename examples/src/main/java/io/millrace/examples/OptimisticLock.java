// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.Keys;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Strings;
import io.millrace.client.Transaction;
import io.millrace.client.Transactions;

/** Sells from a stock and notes the buyer, both or neither, and never more than there is, whoever else sells meanwhile. */
public final class OptimisticLock {

    private static final int MOST_ATTEMPTS = 100;

    static final String STOCK = "example:stock";
    static final String BUYERS = "example:buyers";

    /** How a sale ended. */
    enum Sale {
        SOLD,
        /** There is not enough left. */
        SOLD_OUT,
        /** Somebody else was always faster; nothing was changed. */
        BUSY
    }

    private OptimisticLock() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set(STOCK, "5"));
            System.out.println("Ada, 3 of 5: " + sell(client, "Ada", 3));
            System.out.println("Grace, 3 of 2: " + sell(client, "Grace", 3));
            client.call(Keys.delete(STOCK, BUYERS));
        }
    }

    /**
     * Sells {@code quantity}.
     *
     * @throws io.millrace.client.RedisException if that failed; unless its {@code maybeExecuted} is false, the sale may have
     *     taken place
     */
    static Sale sell(RedisClient client, String buyer, long quantity) {
        // snippet: optimistic-lock
        try (DedicatedConnection connection = client.borrow()) {
            for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
                connection.call(Transactions.watch(STOCK));
                long stock =
                        connection.call(Strings.get(STOCK)).map(Long::parseLong).orElse(0L);
                if (stock < quantity) {
                    // A connection that still watches would be closed instead of being lent again.
                    connection.call(Transactions.unwatch());
                    return Sale.SOLD_OUT;
                }
                Transaction sale = connection.transaction();
                sale.add(Strings.decrement(STOCK, quantity));
                sale.add(Lists.pushRight(BUYERS, buyer));
                if (sale.run() == Transaction.Ending.EXECUTED) {
                    return Sale.SOLD;
                }
                // The stock has changed since it was read, so nothing was done: look again.
            }
            return Sale.BUSY;
        }
        // end
    }
}
