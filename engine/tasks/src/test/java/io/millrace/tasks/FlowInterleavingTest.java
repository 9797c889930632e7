// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.interleave.Interleaved;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the threads of a flow meet, in thousands of seeded schedules each. */
class FlowInterleavingTest {

    private static final int SCHEDULES = 3_000;

    @Test
    void noTaskTimesOutBeforeItsDeadline() {
        Schedules.of(EarlyDeadline.class).withoutPlainAccess().withSteadyTime().explore(SCHEDULES);
    }

    @Test
    void nobodyWaitsForABatchThatCannotFill() {
        Schedules.of(BatchedFlow.class).withSteadyTime().explore(SCHEDULES / 3);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WholeFlow.class,
                StealingFlow.class,
                KeyedFlow.class,
                OrderedFlow.class,
                WeighedFlow.class,
                CancelledFlow.class,
                CancelledAtItsEnd.class,
                ResultsLeftEarly.class,
                LateTask.class,
                AbandonedConsumer.class,
                FailingSource.class
            })
    void everyTaskOfAFlowIsSettledOnce(Class<? extends Interleaved> scenario) {
        Schedules.of(scenario).explore(SCHEDULES / 3);
    }

    static class WholeFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            complete(flow(2));
        }
    }

    static class StealingFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            complete(flow(2).workStealing());
        }
    }

    static class KeyedFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            complete(flow(2).oneByOnePer(task -> task % 2));
        }
    }

    /** Every third task is heavier than all may be. */
    static class WeighedFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            complete(flow(2).weight(3, task -> task % 3 == 0 ? 4 : 1));
        }
    }

    /** Sources that wait for their last batch to be taken, by consumers that wait for a batch to fill. */
    static class BatchedFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
            FlowReport<Integer> report = flow(2).prefetch(1)
                    .oneByOnePer(task -> task / 10)
                    .batches(Batching.of(5).within(Duration.ofHours(24)))
                    .run(batch -> done.addAll(batch.tasks()));

            assertThat(done).containsExactlyInAnyOrder(0, 1, 2, 3, 10, 11, 12, 13);
            assertThat(report.counts()).isEqualTo(Tasks.counts(8, 0, 0, 0));
            assertThat(report.elapsed()).isLessThan(Duration.ofHours(24)); // the clock of the schedule
        }
    }

    private static void complete(Flow<Integer> flow) {
        ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
        FlowReport<Integer> report = flow.run(done::add);

        assertThat(done).containsExactlyInAnyOrder(0, 1, 2, 3, 10, 11, 12, 13);
        assertThat(report.counts()).isEqualTo(Tasks.counts(8, 0, 0, 0));
    }

    static class OrderedFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            try (Results<Integer, Integer> results =
                    Flow.of(Tasks.numbers(6)).buffer(1).consumers(2).orderedResults(task -> task)) {
                assertThat(results.stream().map(Outcome::task)).containsExactly(0, 1, 2, 3, 4, 5);
            }
        }
    }

    /** A source that never ends, cancelled by somebody else at any moment. */
    static class CancelledFlow implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger done = new AtomicInteger();
            RunningFlow<Integer> flow = Flow.from(Tasks.endless(2))
                    .buffer(2)
                    .consumers(2)
                    .grace(Duration.ofHours(1))
                    .start(task -> done.incrementAndGet());
            schedule.thread("canceller", flow::cancel);
            TaskCounts counts = flow.await().counts();
            schedule.join();

            assertThat(counts.succeeded()).isEqualTo(done.get());
            assertThat(counts.pending()).isZero();
        }
    }

    /** Cancelled when it may just be ending by itself: what was not done is cancelled, and what was done is counted. */
    static class CancelledAtItsEnd implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger done = new AtomicInteger();
            RunningFlow<Integer> flow = Flow.of(Tasks.numbers(3))
                    .consumers(2)
                    .grace(Duration.ofHours(1))
                    .start(task -> done.incrementAndGet());
            schedule.thread("canceller", flow::cancel);
            FlowReport<Integer> report = flow.await();
            schedule.join();

            TaskCounts counts = report.counts();
            assertThat(counts.succeeded()).isEqualTo(done.get());
            assertThat(counts.pending()).isZero();
            if (report.ending() == Ending.COMPLETED) {
                assertThat(done).hasValue(3);
            }
            schedule.outcome(report.ending() + " " + done);
        }
    }

    /** Results that nobody reads to their end, with consumers that wait to deliver theirs. */
    static class ResultsLeftEarly implements Interleaved {
        @Override
        public void run(Schedule schedule) throws Exception {
            Results<Integer, Integer> results =
                    flow(2).buffer(1).grace(Duration.ofHours(1)).results(task -> task);
            assertThat(results.next()).isPresent();
            results.close();

            assertThat(results.report().ending()).isIn(Ending.CANCELLED, Ending.COMPLETED);
            assertThat(results.counts().pending()).isZero();
            schedule.outcome("done: " + results.counts().succeeded());
        }
    }

    /** A task is interrupted at its deadline, or done just then: who is interrupted has timed out, never the next one, nor early. */
    static class LateTask implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            Set<Integer> interrupted = ConcurrentHashMap.newKeySet();
            Set<Integer> late = ConcurrentHashMap.newKeySet();
            Map<Integer, Long> begun = new ConcurrentHashMap<>();
            FlowReport<Integer> report = Flow.of(Tasks.numbers(3))
                    .consumers(1)
                    .carryOn()
                    .deadline(Duration.ofMillis(1))
                    .grace(Duration.ofHours(1))
                    .listener(outcome -> {
                        if (outcome instanceof Outcome.TimedOut) {
                            late.add(outcome.task());
                        }
                    })
                    .run(task -> {
                        begun.put(task, System.nanoTime());
                        LockSupport.parkNanos(900_000); // until its deadline, or just before
                        if (Thread.interrupted()) {
                            interrupted.add(task);
                            assertThat(System.nanoTime() - begun.getOrDefault(task, 0L))
                                    .isGreaterThan(900_000);
                        }
                    });

            assertThat(late).containsAll(interrupted);
            assertThat(report.counts().failed()).isZero();
            assertThat(report.counts().timedOut()).isEqualTo(late.size());
            assertThat(report.counts().succeeded()).isEqualTo(3 - late.size());
            assertThat(report.abandoned()).isZero();
            schedule.outcome("late: " + late.size());
        }
    }

    /** The first is done just at its deadline, so that the supervisor comes to stop it when the second has begun. */
    static class EarlyDeadline implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            AtomicLong settled = new AtomicLong();
            AtomicLong early = new AtomicLong();
            Flow.of(List.of(0, 1))
                    .consumers(1)
                    .carryOn()
                    .deadline(Duration.ofMillis(1))
                    .grace(Duration.ofHours(1))
                    .listener(outcome ->
                            settled.compareAndSet(0, schedule.elapsed().toNanos()))
                    .run(task -> {
                        long begun = settled.get();
                        LockSupport.parkNanos(task == 0 ? 1_000_000 : 500_000);
                        long took = schedule.elapsed().toNanos() - begun;
                        if (task == 1 && Thread.currentThread().isInterrupted() && took < 999_000) {
                            early.set(took);
                        }
                    });

            assertThat(early).hasValue(0);
        }
    }

    /** A consumer that returns at about the moment at which it is given up: its task is settled once, by either. */
    static class AbandonedConsumer implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger settled = new AtomicInteger();
            AtomicInteger timedOut = new AtomicInteger();
            FlowReport<Integer> report = Flow.of(Tasks.numbers(3))
                    .consumers(1)
                    .carryOn()
                    .deadline(Duration.ofMillis(1))
                    .grace(Duration.ofMillis(1))
                    .listener(outcome -> {
                        settled.incrementAndGet();
                        if (outcome instanceof Outcome.TimedOut) {
                            timedOut.incrementAndGet();
                        }
                    })
                    .run(task -> {
                        if (task == 1) {
                            for (int waits = 0; waits < 2; waits++) {
                                LockSupport.parkNanos(1_000_000);
                                var unused = Thread.interrupted();
                            }
                        }
                    });

            assertThat(settled).hasValue(3);
            assertThat(report.abandoned()).isLessThanOrEqualTo(timedOut.get());
            assertThat(report.counts().pending()).isZero();
            schedule.outcome("abandoned: " + report.abandoned());
        }
    }

    static class FailingSource implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            Source<Integer> failing = () -> {
                throw new IllegalStateException("gone");
            };
            try {
                Flow.from(List.of(failing, batches(0))).buffer(1).consumers(2).run(task -> {});
                throw new AssertionError("it did not fail");
            } catch (FlowException e) {
                TaskCounts counts = e.report().counts();
                assertThat(counts.succeeded()).isEqualTo(counts.produced());
                schedule.outcome("produced " + counts.produced());
            }
        }
    }

    private static Flow<Integer> flow(int consumers) {
        return Flow.from(List.of(batches(0), batches(10))).buffer(2).consumers(consumers);
    }

    /** Four tasks, in batches of two. */
    private static Source<Integer> batches(int from) {
        AtomicInteger next = new AtomicInteger(from);
        return () -> {
            int first = next.getAndAdd(2);
            return first < from + 4 ? List.of(first, first + 1) : List.of();
        };
    }
}
