// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts visits of many pages in one pipeline, and reads the outcome of each command. */
public final class Batch {

    private static final List<String> PAGES = List.of("home", "news", "about");

    private Batch() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            // This value makes one of the commands fail.
            client.call(Strings.set(key("about"), "not a number"));
            count(client, PAGES).forEach((page, visits) -> System.out.println(page + ": " + visits));
            client.call(Keys.delete(PAGES.stream().map(Batch::key).toArray(String[]::new)));
            System.out.println(client.stats().counts());
        }
    }

    /** Counts one visit of each page. Returns the outcome for each page as text. */
    static Map<String, String> count(RedisClient client, List<String> pages) {
        // snippet: batch
        Map<String, Result<Long>> visits = new LinkedHashMap<>();
        Pipeline pipeline = client.pipeline();
        for (String page : pages) {
            visits.put(page, pipeline.add(Strings.increment(key(page))));
        }
        pipeline.run();

        // An error is a value and does not stop the other commands: each command has its own outcome.
        Map<String, String> report = new LinkedHashMap<>();
        visits.forEach((page, result) -> report.put(
                page,
                switch (result.outcome()) {
                    case Outcome.Ok ok -> result.value() + " visits";
                    case Outcome.Failed failed ->
                        "not counted: " + failed.error().message();
                    case Outcome.Refused refused -> "not sent, so the command can be repeated";
                    case Outcome.TimedOut timedOut -> "no reply in time; possibly counted";
                    case Outcome.Lost lost when lost.maybeExecuted() -> "possibly counted: " + lost.cause();
                    case Outcome.Lost lost -> "not sent, so the command can be repeated: " + lost.cause();
                }));
        // end
        return report;
    }

    private static String key(String page) {
        return "example:visits:" + page;
    }
}
