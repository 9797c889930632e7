// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stores a month of activity for a hundred thousand of ten million ids, and compares the results with plain Java sets.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MonthOfActivityTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final long SEED = 20_261_130;
    private static final int IDS = 100_000;
    private static final long OUT_OF = 10_000_000;
    private static final String EVENT = "login";
    private static final Span MONTH = Span.month(YearMonth.of(2026, 11));
    private static final List<Span> DAYS = MONTH.split(Granularity.DAY);

    /** The active ids of each day. The sets are made only one time, because they are large. */
    private static List<Set<Long>> active = List.of();

    @BeforeAll
    static void makeTheMonth() {
        System.out.println("MonthOfActivityTest: seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        Set<Long> ids = HashSet.newHashSet(IDS);
        while (ids.size() < IDS) {
            ids.add(random.nextLong(OUT_OF));
        }
        active = DAYS.stream().<Set<Long>>map(day -> new HashSet<>()).toList();
        for (long id : ids) {
            // Some ids are active every day, most sometimes, some never, and some only from a certain day on.
            double probability = id % 100 == 0 ? 1 : Math.pow(random.nextDouble(), 4);
            for (int day = random.nextInt(3) == 0 ? random.nextInt(30) : 0; day < 30; day++) {
                if (random.nextDouble() < probability) {
                    active.get(day).add(id);
                }
            }
        }
    }

    @AfterAll
    static void freeTheMonth() {
        active = List.of();
    }

    @ParameterizedTest
    @EnumSource
    void resultsForAMonthOfDailySpansEqualTheResultsOfPlainSets(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity site =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
        load(site);
        Set<String> keys = REDIS.keys(client);

        Map<Span, Long> counts = site.counts(EVENT, DAYS);
        SetExpression ever = SetExpression.active(EVENT, MONTH);
        SetExpression always = DAYS.stream()
                .map(day -> SetExpression.active(EVENT, day))
                .reduce(SetExpression::and)
                .orElseThrow();
        SetExpression lapsed = SetExpression.active(EVENT, DAYS.subList(0, 15))
                .except(SetExpression.active(EVENT, DAYS.subList(15, 30)));

        for (int day = 0; day < 30; day++) {
            assertThat(counts.get(DAYS.get(day))).isEqualTo(active.get(day).size());
            if (encoding == Encoding.BITMAP) {
                assertThat(client.call(Bitmaps.count("{site}:activity:login:" + DAYS.get(day))))
                        .isEqualTo(active.get(day).size());
            }
        }
        assertThat(active.getLast()).as("enough active ids").hasSizeGreaterThan(10_000);
        assertIs(site, ever, union(0, 30));
        Set<Long> every = new HashSet<>(active.getFirst());
        active.forEach(every::retainAll);
        assertIs(site, always, every);
        Set<Long> expectedLapsed = union(0, 15);
        expectedLapsed.removeAll(union(15, 30));
        assertIs(site, lapsed, expectedLapsed);
        assertThat(site.retention(EVENT, DAYS)).isEqualTo(table(false));
        assertThat(site.cohorts(EVENT, DAYS)).isEqualTo(table(true));
        assertThat(REDIS.keys(client)).as("no additional keys").isEqualTo(keys);
    }

    /** Loads half of the days separately, and the other days in one history ordered by id. */
    private static void load(Activity site) {
        for (int day = 0; day < 15; day++) {
            LongStream ids = active.get(day).stream().mapToLong(id -> id);
            assertThat(site.load(EVENT, DAYS.get(day), ids))
                    .isEqualTo(new LoadCounts(
                            active.get(day).size(), active.get(day).size(), 0));
        }
        List<Mark.AtTime> rest = IntStream.range(15, 30)
                .boxed()
                .flatMap(day -> active.get(day).stream()
                        .map(id -> new Mark.AtTime(id, DAYS.get(day).start())))
                .sorted((one, other) -> Long.compare(one.id(), other.id()))
                .toList();
        assertThat(site.load(EVENT, rest.iterator())).isEqualTo(new LoadCounts(rest.size(), rest.size(), 0));
        assertThat(site.load(EVENT, rest.subList(0, 10_000).iterator())).isEqualTo(new LoadCounts(10_000, 0, 0));
    }

    private static void assertIs(Activity site, SetExpression setExpression, Set<Long> expected) {
        assertThat(expected).isNotEmpty();
        assertThat(site.count(setExpression)).isEqualTo(expected.size());
        try (LongStream members = site.members(setExpression)) {
            assertThat(members.toArray())
                    .isEqualTo(
                            new TreeSet<>(expected).stream().mapToLong(id -> id).toArray());
        }
    }

    private static Set<Long> union(int from, int to) {
        Set<Long> all = new HashSet<>();
        active.subList(from, to).forEach(all::addAll);
        return all;
    }

    /** Counts each id in the row of its cohort, for each day on which it was active. */
    private static RetentionTable table(boolean firstOnly) {
        Map<Long, List<Integer>> daysOf = new HashMap<>();
        for (int day = 0; day < 30; day++) {
            for (long id : active.get(day)) {
                daysOf.computeIfAbsent(id, added -> new ArrayList<>()).add(day);
            }
        }
        long[][] common = new long[30][30];
        daysOf.values().forEach(days -> {
            for (int row : firstOnly ? days.subList(0, 1) : days) {
                days.stream().filter(day -> day >= row).forEach(day -> common[row][day]++);
            }
        });
        return RetentionTable.of(DAYS, common);
    }
}
