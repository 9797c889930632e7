// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Mark;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Records the daily logins of 100,000 users and queries them: daily counts, a set expression, retention and cohorts.
 */
public final class DailyActives {

    private static final int USERS = 100_000;
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private DailyActives() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            System.out.println(MemoryEstimate.of(USERS, USERS / 3).reason());
            LocalDate monday =
                    LocalDate.now(BERLIN).minusWeeks(1).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            show(client, monday, logins(monday, 1)).delete();
        }
    }

    static Activity show(RedisClient client, LocalDate monday, Iterator<Mark> history) {
        // snippet: daily-actives
        ActivityOptions options = ActivityOptions.keptFor(Duration.ofDays(400)).zone(BERLIN);
        Activity active = Activity.of(client, "example:site", options);

        boolean isFirst = active.mark("login", 4711, Instant.now()); // the first login of this user today?
        long added = active.load("login", history).added(); // many logins of the past
        System.out.println("first login today: " + isFirst + "; new in the history: " + added);

        List<Span> week = Span.day(monday).consecutive(7);
        active.counts("login", week).forEach((day, users) -> System.out.println(day + ": " + users));

        SetExpression inTheWeek = SetExpression.active("login", Span.week(monday));
        SetExpression onSunday = SetExpression.active("login", week.getLast());
        System.out.println("in the week: " + active.count(inTheWeek));
        System.out.println("in the week, but not on Sunday: " + active.count(inTheWeek.except(onSunday)));

        // Retention: how many users of each day were active again on the later days?
        System.out.print(active.retention("login", week).text());

        // Cohorts: the same, but each user counts only in the row of the first active day.
        System.out.print(active.cohorts("login", week).text());
        // end
        return active;
    }

    /**
     * Generates logins. Each user logs in for the first time on a random day. The probability of a login on a later day
     * falls from day to day.
     */
    private static Iterator<Mark> logins(LocalDate monday, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, USERS)
                .boxed()
                .flatMap(user -> {
                    int first = random.nextInt(7);
                    return IntStream.range(first, 7)
                            .filter(day -> random.nextInt(day - first + 1) == 0)
                            .mapToObj(day -> Mark.on(user, monday.plusDays(day)));
                })
                .iterator();
    }
}
