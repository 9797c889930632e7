// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Span;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
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

    /** Four weeks of seven days, from the first day of the month. */
    static final List<List<Span>> WEEKS = IntStream.range(0, 4)
            .mapToObj(week -> SPANS.subList(7 * week, 7 * week + 7))
            .toList();

    /** The name of the activity. */
    static final String NAME = Keyspace.PREFIX + "{site}";

    private static final int ALL_DAYS = (1 << DAYS) - 1;

    private final int ids;
    private int[] days = {}; // made when first needed
    private List<byte[]> bitmaps = List.of(); // made when first needed

    /** @param ids number of ids, from 0 */
    Month(int ids) {
        this.ids = ids;
    }

    int ids() {
        return ids;
    }

    /** The key with the bitmap of a day, from 0. */
    static String key(int day) {
        return ActivityLoad.key(NAME, SPANS.get(day));
    }

    /** The days on which {@code id} was active: bit n for day n, from 0. */
    private static int daysOf(int id) {
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
    private int[] days() {
        if (days.length == 0) {
            days = IntStream.range(0, ids).map(Month::daysOf).toArray();
        }
        return days;
    }

    /** The ids that were active on {@code day}, in ascending order. */
    LongStream ids(int day) {
        int[] all = days();
        return LongStream.range(0, ids).filter(id -> (all[(int) id] >>> day & 1) == 1);
    }

    /** Writes the bitmap of each day by the connection of the lab. */
    void fill(RedisServer server) {
        if (bitmaps.isEmpty()) {
            bitmaps = IntStream.range(0, DAYS).mapToObj(this::bitmap).toList();
        }
        for (int day = 0; day < DAYS; day++) {
            server.control().set(key(day).getBytes(StandardCharsets.UTF_8), bitmaps.get(day));
        }
    }

    private byte[] bitmap(int day) {
        var bitmap = new byte[Math.ceilDiv(ids, 8)];
        ids(day).forEach(id -> RandomBits.set(bitmap, id));
        return bitmap;
    }

    /** How many ids were active on each day. */
    List<Long> counts() {
        return IntStream.range(0, DAYS).mapToObj(day -> ids(day).count()).toList();
    }

    /** How many ids were active on at least one day. */
    long union() {
        return Arrays.stream(days()).filter(days -> days != 0).count();
    }

    /** How many ids were active in each of the {@link #WEEKS}. */
    long everyWeek() {
        return Arrays.stream(days())
                .filter(days -> IntStream.range(0, WEEKS.size()).allMatch(week -> ((days >>> (7 * week)) & 0x7f) != 0))
                .count();
    }

    /** Of the ids of each day, how many were active on that day and on each later day. */
    List<Long> retention() {
        var common = new long[DAYS][DAYS];
        for (int days : days()) {
            for (int rows = days; rows != 0; rows &= rows - 1) {
                int row = Integer.numberOfTrailingZeros(rows);
                for (int later = rows; later != 0; later &= later - 1) {
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
