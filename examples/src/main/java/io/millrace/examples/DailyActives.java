// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.LoadCounts;
import io.millrace.bitmap.Mark;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Records the daily logins of 100,000 users in bitmaps and queries the bitmaps: daily counts, a set expression, and
 * cohorts.
 */
public final class DailyActives {

    private static final int USERS = 100_000;
    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 16);
    private static final List<Span> WEEK = Span.day(MONDAY).consecutive(7);

    private DailyActives() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            MemoryEstimate estimate = MemoryEstimate.of(USERS, USERS / 3);
            System.out.println("a day needs about " + estimate.bytes() + " bytes, encoding=" + estimate.encoding());
            ActivityOptions options = ActivityOptions.DEFAULT.encoding(estimate.encoding());
            Activity active = Activity.of(client, "example:site", options);
            LoadCounts loadCounts = active.load("login", logins(1));
            System.out.println(loadCounts.marks() + " logins, " + loadCounts.added()
                    + " of these are the first login of a user on a day");
            show(active);
            active.delete();
        }
    }

    static void show(Activity active) {
        // snippet: daily-actives
        active.mark("login", 4711, MONDAY); // one more login

        active.counts("login", WEEK).forEach((day, users) -> System.out.println(day + ": " + users));

        SetExpression thisWeek = SetExpression.active("login", Span.week(MONDAY));
        SetExpression onSunday = SetExpression.active("login", WEEK.getLast());
        System.out.println("in the week: " + active.count(thisWeek));
        System.out.println("in the week, but not on Sunday: " + active.count(thisWeek.except(onSunday)));

        // Retention: group the users by their first active day. How many of each group are active on later days?
        System.out.print(active.cohorts("login", WEEK).text());
        // end
    }

    /**
     * Generates logins. Each user logs in for the first time on a random day. The probability of a login on a later day
     * falls from day to day.
     */
    private static Iterator<Mark> logins(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, USERS)
                .boxed()
                .flatMap(user -> {
                    int first = random.nextInt(7);
                    return IntStream.range(first, 7)
                            .filter(day -> random.nextInt(day - first + 1) == 0)
                            .mapToObj(day -> Mark.on(user, MONDAY.plusDays(day)));
                })
                .iterator();
    }
}
