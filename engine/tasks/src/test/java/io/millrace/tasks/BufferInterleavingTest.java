// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.interleave.Interleaved;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where those meet who put and who take, in thousands of seeded schedules each. */
class BufferInterleavingTest {

    private static final int SCHEDULES = 3_000;

    @ParameterizedTest
    @ValueSource(classes = {Trade.class, Burst.class})
    void aRingHandsOnEachElementOnceAndInOrder(Class<? extends Interleaved> scenario) {
        Schedules.of(scenario).explore(SCHEDULES);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                SharedBuffer.class,
                StealingBuffer.class,
                SingleRoom.class,
                ClosedBuffer.class,
                DroppedBuffer.class,
                DroppedWhileItCloses.class
            })
    void nobodyWaitsForWhatIsThere(Class<? extends Interleaved> scenario) {
        Schedules.of(scenario).explore(SCHEDULES);
    }

    @ParameterizedTest
    @ValueSource(classes = {TimedTaker.class, InterruptedTaker.class})
    void whoStopsWaitingPassesItsWakeUpOn(Class<? extends Interleaved> scenario) {
        Schedules.of(scenario).withoutPlainAccess().explore(4 * SCHEDULES);
    }

    /** Two put three each, two take. */
    static class Trade implements Interleaved {
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
                ConcurrentLinkedQueue<Integer> mine = taken.get(putter);
                schedule.thread("taker " + putter, () -> {
                    while (left.get() > 0) {
                        Integer element = ring.poll();
                        if (element == null) {
                            Thread.onSpinWait();
                        } else {
                            left.decrementAndGet();
                            mine.add(element);
                        }
                    }
                });
            }
            schedule.join();

            List<Integer> all = new ArrayList<>();
            for (ConcurrentLinkedQueue<Integer> mine : taken) {
                all.addAll(mine);
                assertThat(mine.stream().filter(element -> element < 10)).isSorted();
                assertThat(mine.stream().filter(element -> element >= 10)).isSorted();
            }
            assertThat(all).containsExactlyInAnyOrder(0, 1, 2, 10, 11, 12);
            assertThat(ring.size()).isZero();
        }
    }

    /** Elements are put several at once, into a ring whose capacity is not its length. */
    static class Burst implements Interleaved {
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

    static class SharedBuffer implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            trade(schedule, new Buffer<>(4, 1));
        }
    }

    static class StealingBuffer implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            trade(schedule, new Buffer<>(4, 2));
        }
    }

    static class SingleRoom implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            trade(schedule, new Buffer<>(1, 1));
        }
    }

    /** Two put four each, then it is closed; two take until there is no more. Whoever waits for ever is a deadlock. */
    private static void trade(Schedule schedule, Buffer<Integer> buffer) {
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

    /** What is put just before the end is still taken. */
    static class ClosedBuffer implements Interleaved {
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

    /** Dropped while some wait for room and some for elements: all end, and each element is somewhere. */
    static class DroppedBuffer implements Interleaved {
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

            assertThat(put.get()).isEqualTo(taken.get() + buffer.leftOver().size());
        }
    }

    /** It is dropped in the end, whoever comes last. */
    static class DroppedWhileItCloses implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            assertThat(buffer.put(List.of(1, 2), 0)).isEqualTo(2);
            schedule.thread("closer", buffer::close);
            schedule.thread("dropper", buffer::drop);
            schedule.join();

            assertThat(buffer.poll(0)).isNull();
            assertThat(buffer.leftOver()).containsExactly(1, 2);
        }
    }

    /** One that gives up waiting at the moment it is woken does not take the wake-up with it. */
    static class TimedTaker implements Interleaved {
        @Override
        public void run(Schedule schedule) throws Exception {
            Buffer<Integer> buffer = new Buffer<>(4, 1);
            AtomicInteger taken = new AtomicInteger();
            int patience = schedule.random().nextInt(500_000); // a step is a microsecond
            Thread impatient = schedule.thread("impatient", () -> {
                if (buffer.take(0, patience, () -> false) != null) {
                    taken.incrementAndGet();
                }
            });
            onePutAndOneTakenWith(schedule, buffer, taken, impatient);
        }
    }

    /** The same for one that is interrupted. */
    static class InterruptedTaker implements Interleaved {
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
                linger(schedule, buffer);
                interrupted.interrupt();
            });
            onePutAndOneTakenWith(schedule, buffer, taken, interrupted);
        }
    }

    /** Beside the one that may go there is one that waits: for ever, if it is not told of what was put. */
    private static void onePutAndOneTakenWith(
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
            buffer.close(); // whoever has it, the other one gets nothing
            schedule.outcome("taken before");
        }
        patient.join();

        assertThat(taken.get() + buffer.size()).isEqualTo(1);
    }

    /** Does nothing for some steps, until others have perhaps come to wait. */
    private static void linger(Schedule schedule, Buffer<Integer> buffer) {
        for (int steps = schedule.random().nextInt(300); steps > 0; steps--) {
            assertThat(buffer.size()).isLessThan(2);
        }
    }
}
