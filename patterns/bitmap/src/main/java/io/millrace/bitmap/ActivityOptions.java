// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.util.Objects;

/**
 * Options of an {@link Activity}. The granularity and the encoding of an existing activity cannot change: opening the
 * activity with a different granularity or encoding fails.
 *
 * @param granularity the length of the stored spans. Longer spans are unions of stored spans. The default is
 *     {@link Granularity#DAY}
 * @param encoding the encoding. The default is {@link Encoding#BITMAP}
 * @param threads {@link #THREADS}
 * @param historyBytes {@link #HISTORY_BYTES}
 */
public record ActivityOptions(Granularity granularity, Encoding encoding, int threads, long historyBytes) {

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

    /** The default options. */
    public static final ActivityOptions DEFAULT =
            new ActivityOptions(Granularity.DAY, Encoding.BITMAP, THREADS.defaultValue(), HISTORY_BYTES.defaultValue());

    public ActivityOptions {
        Objects.requireNonNull(granularity, "granularity");
        Objects.requireNonNull(encoding, "encoding");
        THREADS.check(threads);
        HISTORY_BYTES.check(historyBytes);
    }

    public ActivityOptions granularity(Granularity granularity) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes);
    }

    public ActivityOptions encoding(Encoding encoding) {
        return new ActivityOptions(granularity, encoding, threads, historyBytes);
    }

    /**
     * Sets the encoding that {@link MemoryEstimate} recommends.
     *
     * @param ids the number of possible ids; the ids are 0 to {@code ids - 1}
     * @param active the number of active ids in one span
     */
    public ActivityOptions expecting(long ids, long active) {
        return encoding(MemoryEstimate.of(ids, active).encoding());
    }

    public ActivityOptions threads(int count) {
        return new ActivityOptions(granularity, encoding, count, historyBytes);
    }

    public ActivityOptions historyBytes(long bytes) {
        return new ActivityOptions(granularity, encoding, threads, bytes);
    }
}
