// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the exploration of thread schedules finds well-known concurrency errors, and that the corrected code
 * passes.
 */
class KnownErrorsTest {

    private static final int SCHEDULES = 3_000;

    @ParameterizedTest
    @ValueSource(
            classes = {
                LostUpdate.class,
                LostPlainUpdate.class,
                CheckThenAct.class,
                LostWakeUp.class,
                LockOrder.class,
                SignalToWrongWaiter.class,
                ReusedNodes.class
            })
    void knownErrorIsFound(Class<? extends InterleavingScenario> scenario) {
        Schedules schedules = Schedules.of(scenario);

        assertThatThrownBy(() -> schedules.explore(SCHEDULES, System.nanoTime()))
                .isInstanceOf(ScheduleFailure.class)
                .hasMessageContaining("repeats=true");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                AtomicUpdate.class,
                AtomicTake.class,
                WakeUp.class,
                OneLockOrder.class,
                SignalToAll.class,
                FreshNodes.class
            })
    void correctCodePasses(Class<? extends InterleavingScenario> scenario) {
        ExplorationStats explorationStats = Schedules.of(scenario).explore(SCHEDULES);

        assertThat(explorationStats.schedules()).isEqualTo(SCHEDULES);
        assertThat(explorationStats.distinct()).isGreaterThan(5);
    }

    static class LostUpdate implements InterleavingScenario {

        private volatile int count;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // The non-atomic update is the error under test.
        public void run(Schedule schedule) {
            schedule.thread("one", () -> count++);
            schedule.thread("two", () -> count++);
            schedule.join();

            assertThat(count).isEqualTo(2);
        }
    }

    static class LostPlainUpdate implements InterleavingScenario {

        private final int[] counts = new int[1];

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> counts[0]++);
            schedule.thread("two", () -> counts[0]++);
            schedule.join();

            assertThat(counts[0]).isEqualTo(2);
        }
    }

    static class AtomicUpdate implements InterleavingScenario {

        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> count.updateAndGet(old -> old + 1));
            schedule.thread("two", count::incrementAndGet);
            schedule.thread("three", count::incrementAndGet);
            schedule.join();

            assertThat(count).hasValue(3);
        }
    }

    static class CheckThenAct implements InterleavingScenario {

        private final Queue<String> queue = new ConcurrentLinkedQueue<>();

        @Override
        public void run(Schedule schedule) {
            queue.add("the only one");
            schedule.thread("one", this::take);
            schedule.thread("two", this::take);
            schedule.join();
        }

        private void take() {
            if (!queue.isEmpty()) {
                queue.remove();
            }
        }
    }

    static class AtomicTake implements InterleavingScenario {

        private final Queue<String> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger taken = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            queue.add("the only one");
            schedule.thread("one", this::take);
            schedule.thread("two", this::take);
            schedule.join();

            assertThat(taken).hasValue(1);
        }

        private void take() {
            if (queue.poll() != null) {
                taken.incrementAndGet();
            }
        }
    }

    /**
     * The waiting thread first checks for the event, and then registers itself as a waiter. If the event happens
     * between these two steps, no thread is woken.
     */
    static class LostWakeUp implements InterleavingScenario {

        private volatile boolean happened;
        private volatile @Nullable Thread waiting;

        @Override
        public void run(Schedule schedule) {
            schedule.thread("waiter", this::waitForIt);
            schedule.thread("event", () -> {
                happened = true;
                LockSupport.unpark(waiting);
            });
            schedule.join();
        }

        void waitForIt() {
            if (!happened) {
                waiting = Thread.currentThread();
                LockSupport.park(this);
            }
        }
    }

    static class WakeUp implements InterleavingScenario {

        private volatile boolean happened;
        private volatile @Nullable Thread waiting;

        @Override
        public void run(Schedule schedule) {
            schedule.thread("waiter", () -> {
                waiting = Thread.currentThread();
                while (!happened) {
                    LockSupport.park(this);
                }
            });
            schedule.thread("event", () -> {
                happened = true;
                LockSupport.unpark(waiting);
            });
            schedule.join();
        }
    }

    static class LockOrder implements InterleavingScenario {

        private final ReentrantLock left = new ReentrantLock();
        private final ReentrantLock right = new ReentrantLock();

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> both(left, right));
            schedule.thread("two", () -> both(right, left));
            schedule.join();
        }

        @SuppressWarnings("LockNotBeforeTry") // No exception is possible in between.
        static void both(ReentrantLock first, ReentrantLock second) {
            first.lock();
            try {
                second.lock();
                second.unlock();
            } finally {
                first.unlock();
            }
        }
    }

    static class OneLockOrder implements InterleavingScenario {

        private final ReentrantLock left = new ReentrantLock();
        private final ReentrantLock right = new ReentrantLock();

        @Override
        public void run(Schedule schedule) {
            schedule.thread("one", () -> LockOrder.both(left, right));
            schedule.thread("two", () -> LockOrder.both(left, right));
            schedule.join();

            assertThat(left.isLocked() || right.isLocked()).isFalse();
        }
    }

    /** A buffer with room for one element. Its producers and its consumers wait for the same condition. */
    static final class OneElementBuffer {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final boolean toAll;
        private int content;

        OneElementBuffer(boolean toAll) {
            this.toAll = toAll;
        }

        void put(int value) throws InterruptedException {
            change(0, value);
        }

        void take() throws InterruptedException {
            change(1, 0);
        }

        private void change(int from, int to) throws InterruptedException {
            lock.lock();
            try {
                while (content != from) {
                    changed.await();
                }
                content = to;
                if (toAll) {
                    changed.signalAll();
                } else {
                    changed.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        void tryAll(Schedule schedule) {
            schedule.thread("producer 1", () -> put(1));
            schedule.thread("producer 2", () -> put(1));
            schedule.thread("consumer 1", this::take);
            schedule.thread("consumer 2", this::take);
            schedule.join();
        }
    }

    static class SignalToWrongWaiter implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            new OneElementBuffer(false).tryAll(schedule);
        }
    }

    static class SignalToAll implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            new OneElementBuffer(true).tryAll(schedule);
        }
    }

    /**
     * A stack that reuses its nodes. This is the ABA error: a thread finds the same head node as before, and does not
     * notice that the node below the head has changed.
     */
    static class ReusedNodes implements InterleavingScenario {

        private final Stack stack = new Stack();

        @Override
        public void run(Schedule schedule) {
            Node lower = new Node();
            Node upper = new Node();
            stack.push(lower);
            stack.push(upper);
            schedule.thread("slow", () -> take("slow"));
            schedule.thread("quick", () -> {
                Node first = take("quick");
                take("quick");
                if (first != null) {
                    first.holder = "";
                    stack.push(first);
                }
            });
            schedule.thread("late", () -> take("late"));
            schedule.join();
        }

        private @Nullable Node take(String name) {
            Node node = stack.pop();
            if (node != null) {
                assertThat(node.holder).as("holder of the node").isEmpty();
                node.holder = name;
            }
            return node;
        }
    }

    /** The same stack as in {@link ReusedNodes}. Here no node is pushed a second time. */
    static class FreshNodes implements InterleavingScenario {

        private final Stack stack = new Stack();
        private final AtomicInteger taken = new AtomicInteger();

        @Override
        public void run(Schedule schedule) {
            stack.push(new Node());
            stack.push(new Node());
            for (String name : new String[] {"one", "two", "three"}) {
                schedule.thread(name, () -> {
                    Node node = stack.pop();
                    if (node != null) {
                        assertThat(node.holder).isEmpty();
                        node.holder = name;
                        taken.incrementAndGet();
                    }
                });
            }
            schedule.join();

            assertThat(taken).hasValue(2);
        }
    }

    static final class Node {

        private volatile String holder = "";
        private volatile @Nullable Node below;
    }

    static final class Stack {

        private final AtomicReference<@Nullable Node> head = new AtomicReference<>();

        void push(Node node) {
            do {
                node.below = head.get();
            } while (!head.compareAndSet(node.below, node));
        }

        @Nullable
        Node pop() {
            while (true) {
                Node top = head.get();
                if (top == null || head.compareAndSet(top, top.below)) {
                    return top;
                }
            }
        }
    }
}
