// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Audience;
import io.millrace.bitmap.Loaded;
import io.millrace.bitmap.Mark;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.bitmap.Span;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Who of a hundred thousand users was there on which day of a week, who stayed away, and who came back. */
public final class DailyActives {

    private static final int USERS = 100_000;
    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 16);
    private static final List<Span> WEEK = Span.day(MONDAY).run(7);

    private DailyActives() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            MemoryEstimate estimate = MemoryEstimate.of(USERS, USERS / 3);
            System.out.println("a day takes " + estimate.bytes() + " bytes as " + estimate.form());
            Activity active = Activity.of(client, "example:site", ActivityOptions.DEFAULT.form(estimate.form()));
            Loaded loaded = active.load("login", logins(1));
            System.out.println(loaded.marks() + " logins, " + loaded.added() + " of them the first of their day");
            show(active);
            active.delete();
        }
    }

    static void show(Activity active) {
        // snippet: daily-actives
        active.mark("login", 4711, MONDAY); // one more, now

        active.counts("login", WEEK).forEach((day, users) -> System.out.println(day + ": " + users));

        Audience thisWeek = Audience.active("login", Span.week(MONDAY));
        Audience onSunday = Audience.active("login", WEEK.getLast());
        System.out.println("in the week: " + active.count(thisWeek));
        System.out.println("but not on Sunday: " + active.count(thisWeek.butNot(onSunday)));

        // Of those who were first there on a day, how many were there on the days after?
        System.out.print(active.cohorts("login", WEEK).text());
        // end
    }

    /** Users begin on some day, and are there with a chance that falls from day to day. */
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
