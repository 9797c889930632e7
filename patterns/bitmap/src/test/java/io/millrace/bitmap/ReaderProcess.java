// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;

/**
 * Queries four days of an activity. Its main method reads part of a result and then waits until the process is killed.
 */
final class ReaderProcess {

    private static final String EVENT = "login";
    private static final List<Span> DAYS = Span.day(LocalDate.of(2026, 11, 1)).consecutive(4);
    private static final SetExpression EVER = SetExpression.active(EVENT, DAYS);

    private ReaderProcess() {}

    /** The queries of an activity. */
    enum Query {
        UNION,
        COUNTS,
        DIFFERENCE,
        MEMBERS,
        RETENTION,
        COHORTS;

        /** Runs the query and reads the whole result. */
        Object run(Activity active) {
            return switch (this) {
                case UNION -> active.count(EVER);
                case COUNTS -> active.counts(EVENT, DAYS);
                case DIFFERENCE -> active.count(EVER.except(SetExpression.active(EVENT, DAYS.getLast())));
                case MEMBERS -> active.members(EVER).sum();
                case RETENTION -> active.retention(EVENT, DAYS);
                case COHORTS -> active.cohorts(EVENT, DAYS);
            };
        }
    }

    /** Opens the activity, and compares its options with the server, so that a query sends only its own commands. */
    static Activity open(RedisClient client, Encoding encoding) {
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptForever().encoding(encoding).threads(1));
        boolean unused = active.contains(EVENT, DAYS.getFirst(), 0);
        return active;
    }

    static void fill(RedisClient client, Encoding encoding) {
        Activity active = open(client, encoding);
        for (int day = 0; day < DAYS.size(); day++) {
            long shift = day;
            active.load(EVENT, DAYS.get(day), LongStream.range(0, 300_000).map(i -> i * 11 + shift));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try (RedisClient client =
                RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + args[0]))
                        .connectTimeout(Duration.ofSeconds(60))
                        .build())) {
            open(client, Encoding.BITMAP).members(EVER).limit(1_000).forEach(id -> {});
            new CountDownLatch(1).await(); // without closing the stream
        }
    }
}
