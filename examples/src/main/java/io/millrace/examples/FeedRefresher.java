// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Sets;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Retry;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFunction;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Refreshes all feeds that are pending: takes them from a set, a hundred at a time, asks a slow service for each, many at once, and
 * writes back what it says. A feed whose service does not answer is asked for three times; what is not refreshed in the end is pending
 * again for the next run.
 */
public final class FeedRefresher {

    static final String PENDING = "example:feeds:pending";
    static final String AGAIN = "example:feeds:again";
    static final String TITLES = "example:feeds:titles";

    private static final int BATCH = 100;

    /** The service answers in a tenth of a second: with as many calls at once it does some hundreds a second. */
    private static final int CALLS_AT_ONCE = 50;

    private FeedRefresher() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Sets.add(
                    PENDING,
                    IntStream.range(0, 500).mapToObj(feed -> "feed " + feed).toArray(String[]::new)));
            System.out.println(refresh(client, FeedRefresher::slowService).counts());
            client.call(Keys.delete(PENDING, AGAIN, TITLES));
        }
    }

    /** Refreshes every feed that is pending, and says what became of each. */
    static FlowReport<String> refresh(RedisClient client, TaskFunction<String, String> service) {
        bringBackWhatWasLeft(client);
        // snippet: refresher
        Source<String> pending = () -> List.copyOf(client.call(Sets.pop(PENDING, BATCH)));

        return Flow.from(pending)
                .name("feeds")
                .consumers(CALLS_AT_ONCE)
                .deadline(Duration.ofSeconds(10))
                .retry(Retry.of(3).on(IOException.class))
                .carryOn()
                .listener(outcome -> keepUnlessDone(client, outcome))
                .run(feed -> client.call(Hashes.set(TITLES, feed, service.apply(feed))));
        // end
    }

    /**
     * Keeps a feed for the next run, whatever kept it from being refreshed, as long as this process and Redis live. Where that is
     * not enough, as for jobs that must be done, the tasks belong into a queue: see {@link StreamWorkQueue}.
     */
    private static void keepUnlessDone(RedisClient client, Outcome<? extends String, ?> outcome) {
        if (!(outcome instanceof Outcome.Succeeded)) {
            client.call(Sets.add(AGAIN, outcome.task()));
        }
    }

    /** Added before it is removed, so that nothing is lost in between. */
    private static void bringBackWhatWasLeft(RedisClient client) {
        String[] left = client.call(Sets.members(AGAIN)).toArray(String[]::new);
        if (left.length > 0) {
            client.call(Sets.add(PENDING, left));
            client.call(Sets.remove(AGAIN, left));
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
