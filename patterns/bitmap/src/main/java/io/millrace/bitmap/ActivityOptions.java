// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;

/**
 * Options of an {@link Activity}. The granularity and the encoding of an existing activity cannot change: using the
 * activity with a different granularity or encoding fails.
 *
 * @param granularity the length of the stored spans. Longer spans are unions of stored spans. The default is
 *     {@link Granularity#DAY}
 * @param encoding the encoding. The default is {@link Encoding#CHUNKED}, because a mark of any id then takes little memory
 * @param threads {@link #THREADS}
 * @param historyBytes {@link #HISTORY_BYTES}
 * @param expireAfter {@link #EXPIRE_AFTER}
 * @param zone the zone in which the day of an {@link java.time.Instant} is determined, and in which days end for
 *     {@code expireAfter}. All clients of an activity must use the same zone. The default is UTC
 */
public record ActivityOptions(
        Granularity granularity, Encoding encoding, int threads, long historyBytes, Duration expireAfter, ZoneId zone) {

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

    /**
     * Range: zero, or 1 ms to 36,500 days. Default: zero, the keys never expire, because marks are data and not a cache.
     * The expiry depends only on the span: a late mark does not renew the expiry, and a mark after the expiry is not
     * stored. A changed option applies to the keys of a span from the next mark in this span on.
     */
    public static final Setting<Duration> EXPIRE_AFTER = new Setting<>(
            "expireAfter",
            Duration.ofMillis(1),
            Duration.ofDays(36_500),
            Duration.ZERO,
            Unit.TIME_OR_ZERO,
            "Time from the end of a span to the expiry of its keys.");

    /** The default options. */
    public static final ActivityOptions DEFAULT = new ActivityOptions(
            Granularity.DAY,
            Encoding.CHUNKED,
            THREADS.defaultValue(),
            HISTORY_BYTES.defaultValue(),
            EXPIRE_AFTER.defaultValue(),
            ZoneOffset.UTC);

    public ActivityOptions {
        Objects.requireNonNull(granularity, "granularity");
        Objects.requireNonNull(encoding, "encoding");
        THREADS.check(threads);
        HISTORY_BYTES.check(historyBytes);
        EXPIRE_AFTER.check(expireAfter);
        Objects.requireNonNull(zone, "zone");
    }

    public ActivityOptions granularity(Granularity granularity) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes, expireAfter, zone);
    }

    public ActivityOptions encoding(Encoding encoding) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes, expireAfter, zone);
    }

    /**
     * Sets the encoding that {@link MemoryEstimate#of} recommends for single marks.
     *
     * @param ids the number of possible ids; the ids are 0 to {@code ids - 1}
     * @param active the number of active ids in one span
     */
    public ActivityOptions expecting(long ids, long active) {
        return encoding(MemoryEstimate.of(ids, active).encoding());
    }

    public ActivityOptions threads(int count) {
        return new ActivityOptions(granularity, encoding, count, historyBytes, expireAfter, zone);
    }

    public ActivityOptions historyBytes(long bytes) {
        return new ActivityOptions(granularity, encoding, threads, bytes, expireAfter, zone);
    }

    public ActivityOptions expireAfter(Duration time) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes, time, zone);
    }

    public ActivityOptions zone(ZoneId zone) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes, expireAfter, zone);
    }
}
