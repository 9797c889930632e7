// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts the ended commands of one name. Any thread records: with atomic additions, without locks and without repeated
 * attempts. Threads are distributed over several stripes, so that they rarely write to the same cache line. A stripe is
 * allocated when its first thread records.
 */
final class LatencyRecorder {

    /** At most 8, so that a name needs at most 8 stripes of 23 KB. */
    private static final int STRIPES =
            Math.min(8, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1));

    // The fields of a stripe.
    private static final int KINDS = EndedCommand.Kind.values().length;
    private static final int SUM_FROM_SUBMISSION = KINDS;
    private static final int SUM_FROM_SENDING = KINDS + 1;
    private static final int FROM_SUBMISSION = KINDS + 2;
    private static final int FROM_SENDING = FROM_SUBMISSION + LatencyBuckets.COUNT;
    private static final int LENGTH = FROM_SENDING + LatencyBuckets.COUNT;

    private final AtomicReferenceArray<@Nullable AtomicLongArray> stripes = new AtomicReferenceArray<>(STRIPES);

    /** Records {@code command}. */
    void record(EndedCommand command) {
        AtomicLongArray stripe = stripe();
        long fromSubmission = LatencyBuckets.inRange(command.nanosFromSubmission());
        stripe.getAndIncrement(index(command.kind()));
        stripe.getAndAdd(SUM_FROM_SUBMISSION, fromSubmission);
        stripe.getAndIncrement(FROM_SUBMISSION + LatencyBuckets.of(fromSubmission));
        if (command.wasSent()) {
            long fromSending = LatencyBuckets.inRange(command.nanosFromSending());
            stripe.getAndAdd(SUM_FROM_SENDING, fromSending);
            stripe.getAndIncrement(FROM_SENDING + LatencyBuckets.of(fromSending));
        }
    }

    private AtomicLongArray stripe() {
        int index = (int) Thread.currentThread().threadId() & STRIPES - 1;
        AtomicLongArray stripe = stripes.get(index);
        if (stripe != null) {
            return stripe;
        }
        stripes.compareAndSet(index, null, new AtomicLongArray(LENGTH));
        return Objects.requireNonNull(stripes.get(index));
    }

    /** Returns the index of the count of {@code kind} in {@link #kinds}. */
    static int index(EndedCommand.Kind kind) {
        return switch (kind) {
            case OK -> 0;
            case ERROR -> 1;
            case TIMED_OUT -> 2;
            case REFUSED -> 3;
            case LOST -> 4;
            case INTERRUPTED -> 5;
        };
    }

    /** Returns the count of each kind. */
    long[] kinds() {
        return sums(0, KINDS);
    }

    long[] bucketsFromSubmission() {
        return sums(FROM_SUBMISSION, LatencyBuckets.COUNT);
    }

    long[] bucketsFromSending() {
        return sums(FROM_SENDING, LatencyBuckets.COUNT);
    }

    long nanosFromSubmission() {
        return sums(SUM_FROM_SUBMISSION, 1)[0];
    }

    long nanosFromSending() {
        return sums(SUM_FROM_SENDING, 1)[0];
    }

    private long[] sums(int from, int count) {
        long[] sums = new long[count];
        for (int s = 0; s < STRIPES; s++) {
            AtomicLongArray stripe = stripes.get(s);
            for (int i = 0; stripe != null && i < count; i++) {
                sums[i] += stripe.get(from + i);
            }
        }
        return sums;
    }
}
