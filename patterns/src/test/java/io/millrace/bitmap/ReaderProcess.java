// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;

/** Asks about four days of an activity; as a process of its own it stops in the middle of an answer until it is killed. */
final class ReaderProcess {

    private static final String EVENT = "login";
    private static final List<Span> DAYS = Span.day(LocalDate.of(2026, 11, 1)).run(4);
    private static final Audience EVER = Audience.active(EVENT, DAYS);

    private ReaderProcess() {}

    /** What can be asked of an activity. */
    enum Question {
        UNION,
        COUNTS,
        DIFFERENCE,
        MEMBERS,
        RETENTION,
        COHORTS;

        /** Asks it, and reads the answer to its end. */
        Object ask(Activity active) {
            return switch (this) {
                case UNION -> active.count(EVER);
                case COUNTS -> active.counts(EVENT, DAYS);
                case DIFFERENCE -> active.count(EVER.butNot(Audience.active(EVENT, DAYS.getLast())));
                case MEMBERS -> active.members(EVER).sum();
                case RETENTION -> active.retention(EVENT, DAYS);
                case COHORTS -> active.cohorts(EVENT, DAYS);
            };
        }
    }

    static Activity open(RedisClient client, Form form) {
        return Activity.of(client, "site", ActivityOptions.DEFAULT.form(form).threads(1));
    }

    static void fill(RedisClient client, Form form) {
        Activity active = open(client, form);
        for (int day = 0; day < DAYS.size(); day++) {
            long shift = day;
            active.load(EVENT, DAYS.get(day), LongStream.range(0, 300_000).map(i -> i * 11 + shift));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try (RedisClient client = RedisClient.connect(RedisUri.parse("redis://127.0.0.1:" + args[0]))) {
            open(client, Form.BITMAP).members(EVER).limit(1_000).forEach(id -> {});
            new CountDownLatch(1).await(); // the stream was not closed
        }
    }
}
