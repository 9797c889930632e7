// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.queue.JobQueue;
import io.millrace.queue.RetryBackoff;
import io.millrace.queue.Worker;
import io.millrace.queue.WorkerStats;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Refreshes all pending feeds. The feeds are jobs of a queue in Redis, so no feed is lost if this process is killed. The
 * program calls a slow service for each feed, with up to 50 concurrent calls, and stores the results in a hash. A failing
 * call is tried up to three times. Then the feed is a dead job, and the next run tries the feed again.
 */
public final class FeedRefresher {

    static final String FEEDS = "example:feeds";
    static final String TITLES = "example:feeds:titles";

    /** The service takes 100 ms per call, so 50 concurrent calls handle up to 500 feeds per second. */
    private static final int CONCURRENT_CALLS = 50;

    /** The service that the program calls. */
    @FunctionalInterface
    interface FeedService {

        String title(String feed) throws IOException, InterruptedException;
    }

    private FeedRefresher() {}

    public static void main(String[] args) throws InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            JobQueue<String> queue = queue(client);
            List<String> unused = queue.pushAll(
                    IntStream.range(0, 500).mapToObj(feed -> "feed " + feed).toList());
            WorkerStats stats = refresh(client, FeedRefresher::slowService);
            System.out.println("refreshed: " + stats.succeeded() + ", dead: " + stats.dead());
            queue.delete();
            client.call(Keys.delete(TITLES));
        }
    }

    static JobQueue<String> queue(RedisClient client) {
        return JobQueue.of(client, FEEDS, Codec.text());
    }

    /** Refreshes every pending feed, and the feeds that failed in the last run. Returns the stats of the worker. */
    static WorkerStats refresh(RedisClient client, FeedService service) throws InterruptedException {
        // snippet: refresher
        JobQueue<String> queue = queue(client);
        queue.redrive(1_000); // the feeds that failed in the last run

        try (Worker worker = queue.worker(CONCURRENT_CALLS, job -> {
                    String title = service.title(job.payload());
                    client.call(Hashes.set(TITLES, job.payload(), title));
                })
                .timeout(Duration.ofSeconds(10))
                .maxAttempts(3)
                .backoff(RetryBackoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1)))
                .endWhenEmpty()
                .start()) {
            worker.await();
            return worker.stats();
        }
        // end
    }

    private static String slowService(String feed) throws IOException, InterruptedException {
        Thread.sleep(100);
        if (feed.endsWith("7")) {
            throw new IOException("no answer: " + feed);
        }
        return "title of " + feed;
    }
}
