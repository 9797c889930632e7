// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Sets;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Retry;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.tasks.TaskFunction;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Refreshes all pending feeds. Removes the feeds from a set in batches of 100, calls a slow service for each feed, with
 * many concurrent calls, and stores the results. A failing feed is tried three times. Feeds that still fail are pending
 * again for the next run.
 */
public final class FeedRefresher {

    static final String PENDING = "example:feeds:pending";
    static final String FAILED = "example:feeds:again";
    static final String TITLES = "example:feeds:titles";

    private static final int BATCH = 100;

    /** The service takes 100 ms per call, so 50 concurrent calls handle up to 500 feeds per second. */
    private static final int CONCURRENT_CALLS = 50;

    private FeedRefresher() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Sets.add(
                    PENDING,
                    IntStream.range(0, 500).mapToObj(feed -> "feed " + feed).toArray(String[]::new)));
            System.out.println(refresh(client, FeedRefresher::slowService).counts());
            client.call(Keys.delete(PENDING, FAILED, TITLES));
        }
    }

    /** Refreshes every pending feed. Returns a report of the outcomes. */
    static TaskFlowReport<String> refresh(RedisClient client, TaskFunction<String, String> service) {
        requeueFailedFeeds(client);
        // snippet: refresher
        Source<String> pending = () -> List.copyOf(client.call(Sets.pop(PENDING, BATCH)));

        return TaskFlow.from(pending)
                .name("feeds")
                .consumers(CONCURRENT_CALLS)
                .deadline(Duration.ofSeconds(10))
                .retry(Retry.of(3).on(IOException.class))
                .continueOnFailure()
                .listener(outcome -> keepIfFailed(client, outcome))
                .run(feed -> client.call(Hashes.set(TITLES, feed, service.apply(feed))));
        // end
    }

    /**
     * Keeps a failed feed for the next run, as long as this process and Redis survive. If that is not enough, because
     * every job must be done, use a queue: see {@link StreamWorkQueue}.
     */
    private static void keepIfFailed(RedisClient client, Outcome<? extends String, ?> outcome) {
        if (!(outcome instanceof Outcome.Succeeded)) {
            client.call(Sets.add(FAILED, outcome.task()));
        }
    }

    /**
     * Adds the failed feeds to the pending feeds first, and then deletes the failed feeds. So no feed is lost in
     * between.
     */
    private static void requeueFailedFeeds(RedisClient client) {
        String[] failed = client.call(Sets.members(FAILED)).toArray(String[]::new);
        if (failed.length > 0) {
            client.call(Sets.add(PENDING, failed));
            client.call(Sets.remove(FAILED, failed));
        }
    }

    private static String slowService(String feed) throws IOException, InterruptedException {
        Thread.sleep(100);
        if (feed.endsWith("7")) {
            throw new IOException("no answer: " + feed);
        }
        return "title of " + feed;
    }
}
