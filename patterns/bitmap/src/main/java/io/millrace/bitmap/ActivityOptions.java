// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;

/**
 * Options of an {@link Activity}. There are no default options, because the caller must choose how long the marks are
 * kept: {@link #keptFor} or {@link #keptForever}. All other options have defaults.
 *
 * <p>An existing activity has its granularity, its encoding, its zone and its expiry stored in Redis. The first use of
 * the activity with other values fails. {@link Activity#keepFor} and {@link Activity#keepForever} change the expiry.
 *
 * @param granularity the length of the stored spans. Longer spans are unions of stored spans. The default is
 *     {@link Granularity#DAY}
 * @param encoding the encoding. The default is {@link Encoding#CHUNKED}, because a mark of any id then takes little memory
 * @param maxId the largest id that a mark may have, 0 or more. The default is the largest {@code long}: only the encoding
 *     limits the ids. A mark with a larger id fails. This option is not stored
 * @param threads {@link #THREADS}
 * @param historyBytes {@link #HISTORY_BYTES}
 * @param expireAfter the time from the end of a span to the expiry of its keys: 1 ms to 36,500 days, or zero if the keys
 *     never expire. The expiry depends only on the span: a late mark does not renew the expiry, and a mark after the expiry
 *     is not stored
 * @param zone the zone in which the day of an {@link java.time.Instant} is determined, and in which days end for
 *     {@code expireAfter}. The default is UTC
 */
public record ActivityOptions(
        Granularity granularity,
        Encoding encoding,
        long maxId,
        int threads,
        long historyBytes,
        Duration expireAfter,
        ZoneId zone) {

    /** Range: 1 to 256. Default: the number of processors. */
    public static final Setting<Integer> THREADS = new Setting<>(
            "threads",
            1,
            256,
            Math.min(256, Runtime.getRuntime().availableProcessors()),
            Unit.COUNT,
            "Number of threads that compute a retention or cohort table.");

    /** Range: 1 MB to 1 TB. Default: 256 MB, enough for 200 spans of 10 million ids. */
    public static final Setting<Long> HISTORY_BYTES = new Setting<>(
            "historyBytes",
            1L << 20,
            1L << 40,
            256L << 20,
            Unit.BYTES,
            "Maximum memory for marks that a load collects before sending.");

    private static final Duration MIN_EXPIRY = Duration.ofMillis(1);
    private static final Duration MAX_EXPIRY = Duration.ofDays(36_500);

    public ActivityOptions {
        Objects.requireNonNull(granularity, "granularity");
        Objects.requireNonNull(encoding, "encoding");
        Setting.checkArgument("maxId", maxId, 0, Long.MAX_VALUE);
        THREADS.check(threads);
        HISTORY_BYTES.check(historyBytes);
        if (!expireAfter.isZero()) {
            checkExpiry(expireAfter);
        }
        Objects.requireNonNull(zone, "zone");
    }

    /**
     * Returns the default options for an activity whose spans expire {@code time} after their end. After this time the
     * server deletes the marks. Choose a time that includes the oldest span that a query may ask for: 400 days are enough
     * for a comparison with the same month of the last year.
     *
     * @param time 1 ms to 36,500 days
     */
    public static ActivityOptions keptFor(Duration time) {
        return with(checkExpiry(time));
    }

    /** Returns the default options for an activity whose spans never expire. Its memory grows with each span. */
    public static ActivityOptions keptForever() {
        return with(Duration.ZERO);
    }

    private static ActivityOptions with(Duration expireAfter) {
        return new ActivityOptions(
                Granularity.DAY,
                Encoding.CHUNKED,
                Long.MAX_VALUE,
                THREADS.defaultValue(),
                HISTORY_BYTES.defaultValue(),
                expireAfter,
                ZoneOffset.UTC);
    }

    /** Returns {@code time} if it is a legal time from the end of a span to the expiry of its keys. */
    static Duration checkExpiry(Duration time) {
        return Setting.checkArgument("expireAfter", time, MIN_EXPIRY, MAX_EXPIRY);
    }

    public ActivityOptions granularity(Granularity granularity) {
        return new ActivityOptions(granularity, encoding, maxId, threads, historyBytes, expireAfter, zone);
    }

    public ActivityOptions encoding(Encoding encoding) {
        return new ActivityOptions(granularity, encoding, maxId, threads, historyBytes, expireAfter, zone);
    }

    public ActivityOptions maxId(long id) {
        return new ActivityOptions(granularity, encoding, id, threads, historyBytes, expireAfter, zone);
    }

    /**
     * Sets the encoding that {@link MemoryEstimate#of(long, long)} recommends for single marks, and the largest id. A mark
     * with an id outside the declared ids fails. So one wrong id does not make a bitmap grow to its full length.
     *
     * @param ids the number of possible ids; the ids are 0 to {@code ids - 1}
     * @param active the number of active ids in one span
     */
    public ActivityOptions expecting(long ids, long active) {
        return encoding(MemoryEstimate.of(ids, active).encoding()).maxId(ids - 1);
    }

    public ActivityOptions threads(int count) {
        return new ActivityOptions(granularity, encoding, maxId, count, historyBytes, expireAfter, zone);
    }

    public ActivityOptions historyBytes(long bytes) {
        return new ActivityOptions(granularity, encoding, maxId, threads, bytes, expireAfter, zone);
    }

    public ActivityOptions zone(ZoneId zone) {
        return new ActivityOptions(granularity, encoding, maxId, threads, historyBytes, expireAfter, zone);
    }

    /** Returns a copy with another expiry; zero means never. */
    ActivityOptions expiring(Duration after) {
        return new ActivityOptions(granularity, encoding, maxId, threads, historyBytes, after, zone);
    }
}
