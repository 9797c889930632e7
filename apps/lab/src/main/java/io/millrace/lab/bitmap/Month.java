// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Span;
import io.millrace.lab.server.Keyspace;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Which users were active on which days of a month. The days of a user follow from the id. About a quarter of the ids
 * is active on a day; half of the ids come for the first time on some day of the month. The answers are counted id by
 * id here, without bitmaps. Used by one thread.
 */
final class Month {

    static final int DAYS = 30;
    static final Span SPAN = Span.month(YearMonth.of(2026, 11));
    static final List<Span> SPANS = SPAN.split(Granularity.DAY);
    static final String EVENT = "login";

    /** The name of the activity. */
    static final String NAME = Keyspace.PREFIX + "{site}";

    private static final int DAYS_OF_A_WEEK = 7;
    private static final int WEEKS = DAYS / DAYS_OF_A_WEEK;
    private static final int ALL_DAYS = (1 << DAYS) - 1;

    private final long ids;

    /** Made when first needed. */
    private List<byte[]> bitmaps = List.of();

    /** @param ids number of ids, from 0 */
    Month(long ids) {
        this.ids = ids;
    }

    long ids() {
        return ids;
    }

    /** The key with the bitmap of a day, from 0. */
    static String key(int day) {
        return NAME + ":activity:" + EVENT + ":" + SPANS.get(day).label();
    }

    /** Four weeks of seven days, from the first day of the month. */
    static List<List<Span>> weeks() {
        return LongStream.range(0, WEEKS)
                .mapToObj(week -> SPANS.subList((int) week * DAYS_OF_A_WEEK, (int) (week + 1) * DAYS_OF_A_WEEK))
                .toList();
    }

    /** The days on which {@code id} was active: bit n for day n, from 0. */
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

    /** The days of every id. */
    int[] days() {
        var days = new int[Math.toIntExact(ids)];
        Arrays.setAll(days, Month::daysOf);
        return days;
    }

    /** A bitmap for each day, as Redis stores bitmaps. */
    List<byte[]> bitmaps() {
        if (bitmaps.isEmpty()) {
            var made = new byte[DAYS][Math.toIntExact((ids + 7) / 8)];
            for (long id = 0; id < ids; id++) {
                for (int rest = daysOf(id); rest != 0; rest &= rest - 1) {
                    made[Integer.numberOfTrailingZeros(rest)][(int) (id >>> 3)] |= (byte) (0x80 >>> (id & 7));
                }
            }
            bitmaps = List.of(made);
        }
        return bitmaps;
    }

    /** How many ids were active on each day. */
    List<Long> counts() {
        var counts = new long[DAYS];
        for (long id = 0; id < ids; id++) {
            for (int rest = daysOf(id); rest != 0; rest &= rest - 1) {
                counts[Integer.numberOfTrailingZeros(rest)]++;
            }
        }
        return Arrays.stream(counts).boxed().toList();
    }

    /** How many ids were active on at least one day. */
    long union() {
        return LongStream.range(0, ids).filter(id -> daysOf(id) != 0).count();
    }

    /** How many ids were active in each of the {@link #weeks}. */
    long everyWeek() {
        return LongStream.range(0, ids).filter(id -> isInEveryWeek(daysOf(id))).count();
    }

    private static boolean isInEveryWeek(int days) {
        int week = (1 << DAYS_OF_A_WEEK) - 1;
        for (int i = 0; i < WEEKS; i++) {
            if (((days >>> (i * DAYS_OF_A_WEEK)) & week) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Of the ids of each day, how many were active on that day and on each later day. */
    List<Long> retention() {
        var common = new long[DAYS][DAYS];
        for (long id = 0; id < ids; id++) {
            int days = daysOf(id);
            for (int rows = days; rows != 0; rows &= rows - 1) {
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
