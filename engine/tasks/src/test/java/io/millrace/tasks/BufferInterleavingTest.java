// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs threads that put and take in thousands of schedules. A schedule is a random interleaving of the threads,
 * generated from a seed.
 */
class BufferInterleavingTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);

    @ParameterizedTest
    @ValueSource(classes = {ConcurrentPutAndTake.class, BatchedPut.class})
    void ringDeliversEachElementOnceAndInOrder(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario).explore(SCHEDULES);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                SharedBuffer.class,
                StealingBuffer.class,
                SingleSlotBuffer.class,
                ClosedBuffer.class,
                DroppedBuffer.class,
                DroppedWhileClosing.class
            })
    void noTakerWaitsWhileElementsAreAvailable(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario).explore(SCHEDULES);
    }

    @ParameterizedTest
    @ValueSource(classes = {TimedTaker.class, InterruptedTaker.class})
    void elementIsTakenEvenIfTheTakerWokenForItStopsWaiting(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario).withoutPlainAccess().explore(4 * SCHEDULES);
    }

    /** Two threads put three elements each, and two threads take elements. */
    static class ConcurrentPutAndTake implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Ring<Integer> ring = new Ring<>(2);
            List<ConcurrentLinkedQueue<Integer>> taken =
                    List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
            AtomicInteger left = new AtomicInteger(6);
            for (int putter = 0; putter < 2; putter++) {
                int from = putter * 10;
                schedule.thread("putter " + putter, () -> {
                    for (int i = 0; i < 3; ) {
                        i += ring.offer(List.of(from + i));
                    }
                });
                ConcurrentLinkedQueue<Integer> own = taken.get(putter);
                schedule.thread("taker " + putter, () -> {
                    while (left.get() > 0) {
                        Integer element = ring.poll();
                        if (element == null) {
                            Thread.onSpinWait();
                        } else {
                            left.decrementAndGet();
                            own.add(element);
                        }
                    }
                });
            }
            schedule.join();

            List<Integer> all = new ArrayList<>();
            for (ConcurrentLinkedQueue<Integer> own : taken) {
                all.addAll(own);
                assertThat(own.stream().filter(element -> element < 10)).isSorted();
                assertThat(own.stream().filter(element -> element >= 10)).isSorted();
            }
            assertThat(all).containsExactlyInAnyOrder(0, 1, 2, 10, 11, 12);
            assertThat(ring.size()).isZero();
        }
    }

    /** One call adds several elements to the ring. The ring has four slots, but its capacity is only three elements. */
    static class BatchedPut implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Ring<Integer> ring = new Ring<>(3);
            List<Integer> taken = new ArrayList<>();
            schedule.thread("putter", () -> {
                List<Integer> elements = List.of(1, 2, 3, 4, 5);
                for (int put = 0; put < 5; ) {
                    put += ring.offer(elements.subList(put, 5));
                }
            });
            schedule.thread("taker", () -> {
                while (taken.size() < 5) {
                    Integer element = ring.poll();
                    if (element == null) {
                        Thread.onSpinWait();
                    } else {
                        taken.add(element);
                    }
                }
            });
            schedule.join();

            assertThat(taken).containsExactly(1, 2, 3, 4, 5);
        }
    }

    static class SharedBuffer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            putAndTake(schedule, new Buffer<>(4, 1));
        }
    }

    static class StealingBuffer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            putAndTake(schedule, new Buffer<>(4, 2));
        }
    }

    static class SingleSlotBuffer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            putAndTake(schedule, new Buffer<>(1, 1));
        }
    }

    /**
     * Two threads put four elements each, then the buffer is closed. Two threads take elements until the buffer returns
     * no more. The schedule reports a thread that waits forever as a deadlock.
     */
    private static void putAndTake(Schedule schedule, Buffer<Integer> buffer) {
        AtomicInteger putting = new AtomicInteger(2);
        ConcurrentLinkedQueue<Integer> taken = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            schedule.thread("putter " + number, () -> {
                int from = number * 10;
                assertThat(buffer.put(List.of(from, from + 1, from + 2), number))
                        .isEqualTo(3);
                assertThat(buffer.put(from + 3, number)).isTrue();
                if (putting.decrementAndGet() == 0) {
                    buffer.close();
                }
            });
            schedule.thread("taker " + number, () -> {
                for (Integer element = buffer.take(number); element != null; element = buffer.take(number)) {
                    taken.add(element);
                }
            });
        }
        schedule.join();

        assertThat(taken).containsExactlyInAnyOrder(0, 1, 2, 3, 10, 11, 12, 13);
    }

    /** Elements that were put just before the buffer is closed must still be taken. */
    static class ClosedBuffer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            AtomicInteger taken = new AtomicInteger();
            schedule.thread("taker", () -> {
                while (buffer.take(0) != null) {
                    taken.incrementAndGet();
                }
            });
            schedule.thread("putter", () -> {
                buffer.put(1, 0);
                buffer.put(2, 0);
                buffer.close();
            });
            schedule.join();

            assertThat(taken).hasValue(2);
        }
    }

    /**
     * The buffer is dropped while some threads wait for free slots and some for elements. All threads must end, and no
     * element may be lost.
     */
    static class DroppedBuffer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Buffer<Integer> buffer = new Buffer<>(2, 1);
            AtomicInteger put = new AtomicInteger();
            AtomicInteger taken = new AtomicInteger();
            schedule.thread("putter", () -> put.addAndGet(buffer.put(List.of(1, 2, 3, 4, 5), 0)));
            schedule.thread("other putter", () -> put.addAndGet(buffer.put(List.of(6, 7), 0)));
            schedule.thread("taker", () -> {
                while (buffer.take(0) != null) {
                    taken.incrementAndGet();
                }
            });
            schedule.thread("dropper", buffer::drop);
            schedule.join();

            assertThat(put.get())
                    .isEqualTo(taken.get() + buffer.removeRemaining().size());
        }
    }

    /**
     * One thread closes the buffer and another thread drops it at the same time. In every schedule, the buffer must be
     * dropped at the end.
     */
    static class DroppedWhileClosing implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            assertThat(buffer.put(List.of(1, 2), 0)).isEqualTo(2);
            schedule.thread("closer", buffer::close);
            schedule.thread("dropper", buffer::drop);
            schedule.join();

            assertThat(buffer.poll(0)).isNull();
            assertThat(buffer.removeRemaining()).containsExactly(1, 2);
        }
    }

    /**
     * A taker is woken for an element, and its time limit ends at the same moment. If this taker does not take the
     * element, another taker must be woken.
     */
    static class TimedTaker implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            AtomicInteger taken = new AtomicInteger();
            int nanos = schedule.random().nextInt(500_000); // a step takes a microsecond
            Thread impatient = schedule.thread("impatient", () -> {
                long until = System.nanoTime() + nanos;
                if (buffer.take(0, () -> until - System.nanoTime(), () -> false) != null) {
                    taken.incrementAndGet();
                }
            });
            putOneAndTakeOneWith(schedule, buffer, taken, impatient);
        }
    }

    /**
     * A taker is woken for an element, and is interrupted at the same moment. If this taker does not take the element,
     * another taker must be woken.
     */
    static class InterruptedTaker implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            AtomicInteger taken = new AtomicInteger();
            Thread interrupted = schedule.thread("interrupted", () -> {
                try {
                    if (buffer.take(0) != null) {
                        taken.incrementAndGet();
                    }
                } catch (InterruptedException e) {
                    schedule.outcome("interrupted");
                }
            });
            schedule.thread("interrupter", () -> {
                pauseForSteps(schedule, buffer);
                interrupted.interrupt();
            });
            putOneAndTakeOneWith(schedule, buffer, taken, interrupted);
        }
    }

    /**
     * Puts one element and starts a second, patient taker, which never stops waiting. The taker {@code first} may stop
     * waiting. If the element is in the buffer and no taker is woken for it, the patient taker waits forever.
     */
    private static void putOneAndTakeOneWith(
            Schedule schedule, Buffer<Integer> buffer, AtomicInteger taken, Thread first) throws InterruptedException {
        Thread patient = schedule.thread("patient", () -> {
            if (buffer.take(0) != null) {
                taken.incrementAndGet();
            }
        });
        Thread putter =
                schedule.thread("putter", () -> assertThat(buffer.put(1, 0)).isTrue());
        first.join();
        putter.join();
        if (taken.get() == 1) {
            buffer.close(); // the first taker has the element, so the patient taker receives none
            schedule.outcome("taken before");
        }
        patient.join();

        assertThat(taken.get() + buffer.size()).isEqualTo(1);
    }

    /** Does nothing for some steps, so that other threads may start to wait. */
    private static void pauseForSteps(Schedule schedule, Buffer<Integer> buffer) {
        for (int steps = schedule.random().nextInt(300); steps > 0; steps--) {
            assertThat(buffer.size()).isLessThan(2);
        }
    }
}
