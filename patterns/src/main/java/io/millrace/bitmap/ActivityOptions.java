// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Objects;

/**
 * How an activity is kept. Grain and form are those of the activity for good: whoever opens it with others is refused.
 *
 * @param grain the finest spans that are told apart; coarser ones are put together from them. By default {@link Grain#DAY}
 * @param form by default {@link Form#BITMAP}
 * @param threads that compare bits for a table, 1 to 256; by default as many as there are processors
 * @param historyBytes how much memory may be filled with marks of a history before they are sent, from 1,048,576; by default
 *     268,435,456, which holds 200 spans of 10 million ids
 */
public record ActivityOptions(Grain grain, Form form, int threads, long historyBytes) {

    /** The defaults. */
    public static final ActivityOptions DEFAULT = new ActivityOptions(
            Grain.DAY, Form.BITMAP, Math.min(256, Runtime.getRuntime().availableProcessors()), 256L << 20);

    public ActivityOptions {
        Objects.requireNonNull(grain, "grain");
        Objects.requireNonNull(form, "form");
        Ranges.check("threads", threads, 1, 256);
        Ranges.check("historyBytes", historyBytes, 1L << 20, 1L << 40);
    }

    public ActivityOptions grain(Grain finest) {
        return new ActivityOptions(finest, form, threads, historyBytes);
    }

    public ActivityOptions form(Form wanted) {
        return new ActivityOptions(grain, wanted, threads, historyBytes);
    }

    /**
     * The form of the {@link MemoryEstimate}.
     *
     * @param ids they are 0 to {@code ids - 1}
     * @param active of them in one span
     */
    public ActivityOptions expecting(long ids, long active) {
        return form(MemoryEstimate.of(ids, active).form());
    }

    public ActivityOptions threads(int count) {
        return new ActivityOptions(grain, form, count, historyBytes);
    }

    public ActivityOptions historyBytes(long bytes) {
        return new ActivityOptions(grain, form, threads, bytes);
    }
}
