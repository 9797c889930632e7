// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.library.ConnectionPool;
import io.millrace.lab.library.Pair;
import java.util.AbstractList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolPatternTest {

    /** As many as fit into the queue between producer and consumers. */
    private static final int QUEUE = 10_000;

    static List<PoolPattern> patterns() {
        return PoolPattern.ALL;
    }

    static Stream<PoolPattern> pipelinedPatterns() {
        return PoolPattern.ALL.stream().filter(pattern -> !pattern.waits());
    }

    private static PoolPattern queue() {
        return PoolPattern.ALL.stream()
                .filter(pattern -> pattern.name().equals("queue-10-pipelined"))
                .findFirst()
                .orElseThrow();
    }

    /** A pool that remembers what was set over it. */
    private static class Remembering implements ConnectionPool {

        private final Semaphore free;
        private final int size;
        final Queue<Pair> set = new ConcurrentLinkedQueue<>();
        final AtomicInteger mostBorrowed = new AtomicInteger();
        final AtomicInteger longestPipeline = new AtomicInteger();

        Remembering(int size) {
            this.size = size;
            this.free = new Semaphore(size);
        }

        /** Told of every command or pipeline before it is done. */
        void work() {}

        @Override
        public Borrowed borrow() throws Exception {
            free.acquire();
            mostBorrowed.accumulateAndGet(size - free.availablePermits(), Math::max);
            return new Borrowed() {
                @Override
                public void set(Pair pair) {
                    work();
                    set.add(pair);
                }

                @Override
                public void setPipelined(List<Pair> pairs) {
                    work();
                    longestPipeline.accumulateAndGet(pairs.size(), Math::max);
                    set.addAll(pairs);
                }

                @Override
                public void close() {
                    free.release();
                }
            };
        }

        int borrowed() {
            return size - free.availablePermits();
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @MethodSource("patterns")
    void everyPairIsSetExactlyOnceAndEveryConnectionGivenBack(PoolPattern pattern) throws Exception {
        for (int count : new int[] {0, 1, 7, 1_234, 25_001}) {
            var pool = new Remembering(pattern.pool());
            var pairs = Pairs.first(count);

            pattern.run(pool, pairs);

            assertThat(pool.set).hasSize(count);
            assertThat(List.copyOf(pool.set)).containsExactlyInAnyOrderElementsOf(pairs);
            assertThat(pool.borrowed()).isZero();
            assertThat(pool.mostBorrowed).hasValueLessThanOrEqualTo(Math.min(pattern.threads(), pattern.pool()));
        }
    }

    @ParameterizedTest
    @MethodSource("pipelinedPatterns")
    void pipelinesAreNoLongerThanTheNoteSays(PoolPattern pattern) throws Exception {
        var pool = new Remembering(pattern.pool());

        pattern.run(pool, Pairs.first(30_000));

        assertThat(pool.longestPipeline.get()).isPositive().isLessThanOrEqualTo(pattern.equals(queue()) ? 200 : 100);
    }

    @ParameterizedTest
    @MethodSource("patterns")
    void aConnectionThatFailsEndsTheRoundWithItsFailure(PoolPattern pattern) {
        var works = new AtomicInteger();
        var pool = new Remembering(pattern.pool()) {
            @Override
            void work() {
                if (works.incrementAndGet() == 3) {
                    throw new IllegalStateException("cut off");
                }
            }
        };

        assertThatThrownBy(() -> pattern.run(pool, Pairs.first(25_000)))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("cut off");
        assertThat(pool.borrowed()).isZero();
    }

    @Test
    void aQueueThatNobodyEmptiesAnyMoreEndsTheRound() {
        var pool = new Remembering(queue().pool()) {
            @Override
            void work() {
                throw new IllegalStateException("cut off");
            }
        };

        assertThatThrownBy(() -> queue().run(pool, Pairs.first(5 * QUEUE)))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("cut off");
    }

    /** The producer has put in all there is, and waits for room to say so, when the last consumer fails. */
    @ParameterizedTest
    @ValueSource(ints = {QUEUE - 5, QUEUE})
    void aProducerThatWaitsToSayThatItIsDoneDoesNotHang(int count) {
        var produced = new CountDownLatch(1);
        var pool = new Remembering(queue().pool()) {
            @Override
            public Borrowed borrow() throws Exception {
                produced.await();
                LockSupport.parkNanos(50_000_000); // until it waits
                throw new IllegalStateException("no connection");
            }
        };
        var pairs = Pairs.first(count);
        var watched = new AbstractList<Pair>() {
            @Override
            public Pair get(int index) {
                if (index == count - 1) {
                    produced.countDown();
                }
                return pairs.get(index);
            }

            @Override
            public int size() {
                return count;
            }
        };

        assertThatThrownBy(() -> queue().run(pool, watched))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no connection");
    }
}
