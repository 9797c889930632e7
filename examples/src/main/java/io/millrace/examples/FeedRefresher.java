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
 * Refreshes all pending feeds. The program removes the feeds from a set in batches of 100, and calls a slow service for
 * each feed, with up to 50 concurrent calls. It stores the results in a hash. A failing call is tried up to three
 * times. A feed whose last attempt fails is pending again in the next run.
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
     * Keeps a failed feed for the next run. The feed is lost if this process fails before it has stored the feed, or if
     * Redis loses its data. If no job may be lost, use a queue: see {@link StreamWorkQueue}.
     */
    private static void keepIfFailed(RedisClient client, Outcome<? extends String, ?> outcome) {
        if (!(outcome instanceof Outcome.Succeeded)) {
            client.call(Sets.add(FAILED, outcome.task()));
        }
    }

    /**
     * Moves the failed feeds to the pending feeds. The method first adds the feeds to the one set and then removes them
     * from the other set, so no feed is lost if the program ends between the two commands.
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
