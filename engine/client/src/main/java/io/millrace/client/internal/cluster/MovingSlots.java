// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The slots of which a node has answered {@code ASK} or {@code TRYAGAIN} recently, so that their keys may be at two nodes. Any
 * thread.
 */
final class MovingSlots {

    /** Longer than the pause between two answers, if commands with this slot are frequent. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier clock;

    /** The time of the last such answer for each slot. */
    private final Map<Integer, Long> answers = new ConcurrentHashMap<>();

    MovingSlots(LongSupplier clock) {
        this.clock = clock;
    }

    void add(int slot) {
        answers.put(slot, clock.getAsLong());
    }

    boolean contains(int slot) {
        if (answers.isEmpty()) {
            return false;
        }
        Long answer = answers.get(slot);
        if (answer == null || clock.getAsLong() - answer < RECENT_NANOS) {
            return answer != null;
        }
        answers.remove(slot, answer);
        return false;
    }
}
