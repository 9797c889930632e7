// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a ring with several producers and consumers. One version is correct, and three versions have an error. */
class RingTest {

    @ParameterizedTest
    @ValueSource(classes = {PublishedTooEarly.class, FreedTooEarly.class, ClaimedWithoutCompare.class})
    void errorInAWrongRingIsFound(Class<? extends InterleavingScenario> scenario) {
        assertThatThrownBy(() -> Schedules.of(scenario).explore(10_000, System.nanoTime()))
                .isInstanceOf(ScheduleFailure.class)
                .hasMessageContaining("repeats=true");
    }

    @Test
    void correctRingDeliversEachElementExactlyOnce() {
        ExplorationStats explorationStats = Schedules.of(CorrectRing.class).explore(5_000);

        assertThat(explorationStats.distinct()).isGreaterThan(3_000);
        assertThat(explorationStats.outcomes()).containsKeys("producer waited", "consumer waited");
    }

    enum Flaw {
        NONE,
        PUBLISHED_TOO_EARLY,
        FREED_TOO_EARLY,
        CLAIMED_WITHOUT_COMPARE
    }

    static class CorrectRing implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            trade(schedule, Flaw.NONE);
        }
    }

    static class PublishedTooEarly implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            trade(schedule, Flaw.PUBLISHED_TOO_EARLY);
        }
    }

    static class FreedTooEarly implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            trade(schedule, Flaw.FREED_TOO_EARLY);
        }
    }

    static class ClaimedWithoutCompare implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            trade(schedule, Flaw.CLAIMED_WITHOUT_COMPARE);
        }
    }

    /** Two producers add two elements each, and two consumers take two elements each. The ring has two slots. */
    private static void trade(Schedule schedule, Flaw flaw) {
        Ring ring = new Ring(2, flaw);
        List<Integer> taken = Collections.synchronizedList(new ArrayList<>());
        for (int producer = 0; producer < 2; producer++) {
            int first = 10 * producer;
            schedule.thread("producer " + producer, () -> {
                for (int i = 1; i <= 2; i++) {
                    while (!ring.offer(first + i)) {
                        schedule.outcome("producer waited");
                        Thread.onSpinWait();
                    }
                }
            });
        }
        for (int consumer = 0; consumer < 2; consumer++) {
            schedule.thread("consumer " + consumer, () -> {
                for (int i = 0; i < 2; i++) {
                    Integer element = ring.poll();
                    while (element == null) {
                        schedule.outcome("consumer waited");
                        Thread.onSpinWait();
                        element = ring.poll();
                    }
                    taken.add(element);
                }
            });
        }
        schedule.join();

        assertThat(taken).containsExactlyInAnyOrder(1, 2, 11, 12);
    }

    /**
     * A ring whose slots have sequence numbers. In turn {@code t}, a producer may write the slot if the sequence number
     * of the slot is {@code t}. A consumer may read the slot if the sequence number of the slot is {@code t + 1}.
     */
    static final class Ring {

        private static final VarHandle SEQUENCE = MethodHandles.arrayElementVarHandle(long[].class);
        private static final VarHandle HEAD;
        private static final VarHandle TAIL;

        static {
            try {
                HEAD = MethodHandles.lookup().findVarHandle(Ring.class, "head", long.class);
                TAIL = MethodHandles.lookup().findVarHandle(Ring.class, "tail", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Flaw flaw;
        private final @Nullable Integer[] elements;
        private final long[] sequences;

        @SuppressWarnings("unused") // by handle
        private volatile long head;

        @SuppressWarnings("unused") // by handle
        private volatile long tail;

        Ring(int slots, Flaw flaw) {
            this.flaw = flaw;
            this.elements = new @Nullable Integer[slots];
            this.sequences = new long[slots];
            for (int i = 0; i < slots; i++) {
                sequences[i] = i;
            }
        }

        boolean offer(Integer element) {
            while (true) {
                long turn = (long) TAIL.getVolatile(this);
                int slot = (int) turn % elements.length;
                long ahead = (long) SEQUENCE.getAcquire(sequences, slot) - turn;
                if (ahead < 0) {
                    return false;
                }
                if (ahead == 0 && claim(TAIL, turn)) {
                    boolean early = flaw == Flaw.PUBLISHED_TOO_EARLY;
                    if (early) {
                        SEQUENCE.setRelease(sequences, slot, turn + 1);
                    }
                    elements[slot] = element;
                    if (!early) {
                        SEQUENCE.setRelease(sequences, slot, turn + 1);
                    }
                    return true;
                }
            }
        }

        @Nullable
        Integer poll() {
            while (true) {
                long turn = (long) HEAD.getVolatile(this);
                int slot = (int) turn % elements.length;
                long ahead = (long) SEQUENCE.getAcquire(sequences, slot) - (turn + 1);
                if (ahead < 0) {
                    return null;
                }
                if (ahead == 0 && claim(HEAD, turn)) {
                    long free = turn + elements.length;
                    boolean early = flaw == Flaw.FREED_TOO_EARLY;
                    if (early) {
                        SEQUENCE.setRelease(sequences, slot, free);
                    }
                    Integer element = elements[slot];
                    elements[slot] = null;
                    if (!early) {
                        SEQUENCE.setRelease(sequences, slot, free);
                    }
                    return element;
                }
            }
        }

        private boolean claim(VarHandle counter, long turn) {
            if (flaw == Flaw.CLAIMED_WITHOUT_COMPARE) {
                counter.setVolatile(this, turn + 1);
                return true;
            }
            return counter.compareAndSet(this, turn, turn + 1);
        }
    }
}
