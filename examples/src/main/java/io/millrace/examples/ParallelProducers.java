// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.tasks.Batching;
import io.millrace.tasks.Range;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Counts users by country. Several producers read the users: each producer reads one range of user numbers. Consumers
 * take batches of 500 users, count the users of each country, and add the counts to a hash.
 */
public final class ParallelProducers {

    static final String USER = "example:user:";
    static final String COUNTRIES = "example:countries";

    private static final int BATCH = 500;

    private ParallelProducers() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        List<String> countries = List.of("NL", "FR", "IT");
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            for (int user = 0; user < 3_000; user++) {
                client.call(Strings.set(USER + user, countries.get(user % 3)));
            }
            System.out.println(count(client, new Range(0, 3_000), 4).counts());
            System.out.println(client.call(Hashes.getAll(COUNTRIES)));
            for (int user = 0; user < 3_000; user++) {
                client.call(Keys.delete(USER + user));
            }
            client.call(Keys.delete(COUNTRIES));
        }
    }

    /**
     * Counts the users whose numbers are in {@code users}. {@code producers} is the number of producers that read the
     * users.
     */
    static TaskFlowReport<String> count(RedisClient client, Range users, int producers) {
        // snippet: producers
        List<Source<String>> sources = users.split(producers).stream()
                .map(part -> countriesOf(client, part))
                .toList();

        return TaskFlow.from(sources)
                .name("countries")
                .buffer(2_000)
                .consumers(2)
                .batches(Batching.of(BATCH))
                .run(batch -> add(client, batch.tasks()));
        // end
    }

    /** Returns a source that reads the country of each user whose number is in {@code part}, in batches. */
    private static Source<String> countriesOf(RedisClient client, Range part) {
        AtomicLong cursor = new AtomicLong(part.from());
        return () -> {
            long first = cursor.getAndAdd(BATCH);
            if (first >= part.to()) {
                return List.of();
            }
            String[] keys = LongStream.range(first, Math.min(first + BATCH, part.to()))
                    .mapToObj(user -> USER + user)
                    .toArray(String[]::new);
            return client.call(Strings.getAll(keys)).stream()
                    .map(country -> country.orElse("unknown"))
                    .toList();
        };
    }

    private static void add(RedisClient client, List<String> countries) {
        Map<String, Long> counts =
                countries.stream().collect(Collectors.groupingBy(country -> country, Collectors.counting()));
        counts.forEach((country, count) -> client.call(Hashes.increment(COUNTRIES, country, count)));
    }
}
