// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Ten threads share one client: no pool, no lock, no connection per thread. */
public final class TenThreads {

    private static final int THREADS = 10;
    private static final String COUNTER = "example:counter";

    private TenThreads() {}

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            System.out.println(THREADS + " threads counted to " + count(client, 1_000));
            client.call(Keys.delete(COUNTER));
        }
    }

    /** Increments the counter {@code timesEach} times in each thread. Returns the largest value that a thread read. */
    static long count(RedisClient client, int timesEach) throws InterruptedException, ExecutionException {
        // snippet: ten-threads
        Callable<Long> counting = () -> {
            long count = 0;
            for (int i = 0; i < timesEach; i++) {
                count = client.call(Strings.increment(COUNTER));
            }
            return count;
        };
        long largest = 0;
        // New code may instead use newVirtualThreadPerTaskExecutor(), which starts one virtual thread per task.
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (Future<Long> counted : threads.invokeAll(Collections.nCopies(THREADS, counting))) {
                largest = Math.max(largest, counted.get());
            }
        }
        // end
        return largest;
    }
}
