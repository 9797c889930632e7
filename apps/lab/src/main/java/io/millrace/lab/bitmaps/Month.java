// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Span;
import io.millrace.lab.run.Keyspace;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;

/**
 * Who logged in on which days of a month: ids from 0 on, each with habits that follow from its number. Half of them come on some day of the
 * month for the first time; of all, about a quarter is there on a day. What is asked of a month is answered here id by id, without bitmaps.
 *
 * @param ids how many
 */
record Month(long ids) {

    static final int DAYS = 30;
    static final Span SPAN = Span.month(YearMonth.of(2026, 11));
    static final List<Span> SPANS = SPAN.split(Granularity.DAY);
    static final String EVENT = "login";

    /** The activity that has it. */
    static final String NAME = Keyspace.PREFIX + "{site}";

    private static final int DAYS_OF_A_WEEK = 7;
    private static final int WEEKS = DAYS / DAYS_OF_A_WEEK;
    private static final int ALL_DAYS = (1 << DAYS) - 1;

    /** The key with the bitmap of a day, from 0. */
    static String key(int day) {
        return NAME + ":activity:" + EVENT + ":" + SPANS.get(day).label();
    }

    /** Four weeks of seven days each, from the first day of the month on. */
    static List<List<Span>> weeks() {
        return LongStream.range(0, WEEKS)
                .mapToObj(week -> SPANS.subList((int) week * DAYS_OF_A_WEEK, (int) (week + 1) * DAYS_OF_A_WEEK))
                .toList();
    }

    /** The days on which {@code id} logged in: bit n for day n, from 0. */
    static int daysOf(long id) {
        var random = new SplittableRandom(id);
        long coins = random.nextLong();
        long habits = random.nextLong();
        int some = (int) coins;
        int others = (int) (coins >>> 32);
        int days = switch ((int) habits & 3) {
            case 0 -> some | others; // three days of four
            case 1 -> some & others & (int) (habits >>> 32); // one of eight
            default -> some & others; // one of four
        };
        boolean isOld = (habits & 4) == 0;
        int first = isOld ? 0 : (int) ((((habits >>> 3) & 0xffff) * DAYS) >>> 16);
        return days & (ALL_DAYS << first) & ALL_DAYS;
    }

    /** The same for every id, in their order. */
    int[] days() {
        var days = new int[Math.toIntExact(ids)];
        Arrays.setAll(days, Month::daysOf);
        return days;
    }

    /** A bitmap for each day, as Redis has them. Put together bit by bit, as no contender does it. */
    List<byte[]> bitmaps() {
        var bitmaps = new byte[DAYS][Math.toIntExact((ids + 7) / 8)];
        for (long id = 0; id < ids; id++) {
            for (int rest = daysOf(id); rest != 0; rest &= rest - 1) {
                bitmaps[Integer.numberOfTrailingZeros(rest)][(int) (id >>> 3)] |= (byte) (0x80 >>> (id & 7));
            }
        }
        return List.of(bitmaps);
    }

    /** How many logged in on each day. */
    List<Long> counts() {
        var counts = new long[DAYS];
        for (long id = 0; id < ids; id++) {
            for (int rest = daysOf(id); rest != 0; rest &= rest - 1) {
                counts[Integer.numberOfTrailingZeros(rest)]++;
            }
        }
        return Arrays.stream(counts).boxed().toList();
    }

    /** How many logged in at all. */
    long union() {
        return LongStream.range(0, ids).filter(id -> daysOf(id) != 0).count();
    }

    /** How many logged in in every one of the {@link #weeks}. */
    long everyWeek() {
        int week = (1 << DAYS_OF_A_WEEK) - 1;
        return LongStream.range(0, ids)
                .filter(id -> {
                    int days = daysOf(id);
                    int weeks = 0;
                    for (int i = 0; i < WEEKS; i++) {
                        weeks += ((days >>> (i * DAYS_OF_A_WEEK)) & week) != 0 ? 1 : 0;
                    }
                    return weeks == WEEKS;
                })
                .count();
    }

    /** Of those of each day, how many were there on it and on each later one: day by day, one list after the other. */
    List<Long> retention() {
        return pairs(days -> days);
    }

    /** The same of those who were there on a day for the first time. */
    List<Long> cohorts() {
        return pairs(Integer::lowestOneBit);
    }

    /** Pairs of days on which an id was there, the first of them one of those that {@code firsts} makes of its days. */
    private List<Long> pairs(IntUnaryOperator firsts) {
        var common = new long[DAYS][DAYS];
        for (long id = 0; id < ids; id++) {
            int days = daysOf(id);
            for (int rows = firsts.applyAsInt(days); rows != 0; rows &= rows - 1) {
                int row = Integer.numberOfTrailingZeros(rows);
                for (int later = (days >>> row) << row; later != 0; later &= later - 1) {
                    common[row][Integer.numberOfTrailingZeros(later)]++;
                }
            }
        }
        var pairs = new ArrayList<Long>();
        for (int row = 0; row < DAYS; row++) {
            Arrays.stream(common[row], row, DAYS).forEach(pairs::add);
        }
        return pairs;
    }
}
