// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the threads of a flow in thousands of schedules. A schedule is a random interleaving of the threads, generated
 * from a seed.
 */
class FlowInterleavingTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);

    @Test
    void noTaskTimesOutBeforeItsDeadline() {
        Schedules.of(EarlyDeadline.class).withoutPlainAccess().withSteadyTime().explore(SCHEDULES);
    }

    @Test
    void noConsumerWaitsForABatchThatCannotBecomeFull() {
        Schedules.of(BatchedFlow.class).withSteadyTime().explore(SCHEDULES / 3);
    }

    /** In steady time the grace period does not pass. After the grace period, the flow may interrupt such calls. */
    @Test
    void cancellationInterruptsNoCallThatReportsAnOutcome() {
        Schedules.of(CancelledSource.class).withSteadyTime().explore(SCHEDULES / 3);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WholeFlow.class,
                StealingFlow.class,
                KeyedFlow.class,
                OrderedFlow.class,
                CancelledFlow.class,
                CancelledNearItsEnd.class,
                ResultsLeftEarly.class,
                LateTask.class,
                AbandonedConsumer.class,
                FailingSource.class
            })
    void everyTaskOfAFlowIsSettledOnce(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario).explore(SCHEDULES / 3);
    }

    static class WholeFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertCompletes(flow(2));
        }
    }

    static class StealingFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertCompletes(flow(2).workStealing());
        }
    }

    static class KeyedFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertCompletes(flow(2).sequentialPer(task -> task % 2));
        }
    }

    /**
     * Each source waits until consumers have taken its last batch. At the same time each consumer waits until its batch
     * of tasks is full.
     */
    static class BatchedFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
            TaskFlowReport<Integer> report = flow(2).prefetch(1)
                    .sequentialPer(task -> task / 10)
                    .batches(Batching.of(5).within(Duration.ofHours(24)))
                    .run(batch -> done.addAll(batch.tasks()));

            assertThat(done).containsExactlyInAnyOrder(0, 1, 2, 3, 10, 11, 12, 13);
            assertThat(report.counts()).isEqualTo(Tasks.counts(8, 0, 0, 0));
            assertThat(report.elapsed()).isLessThan(Duration.ofHours(24)); // the clock of the schedule
        }
    }

    private static void assertCompletes(TaskFlow<Integer> taskFlow) {
        ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
        TaskFlowReport<Integer> report = taskFlow.run(done::add);

        assertThat(done).containsExactlyInAnyOrder(0, 1, 2, 3, 10, 11, 12, 13);
        assertThat(report.counts()).isEqualTo(Tasks.counts(8, 0, 0, 0));
    }

    static class OrderedFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            try (Results<Integer, Integer> results =
                    TaskFlow.of(Tasks.numbers(6)).buffer(1).consumers(2).orderedResults(task -> task)) {
                assertThat(results.stream().map(Outcome::task)).containsExactly(0, 1, 2, 3, 4, 5);
            }
        }
    }

    /** The source of the flow is endless. Another thread cancels the flow at any moment. */
    static class CancelledFlow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger done = new AtomicInteger();
            RunningTaskFlow<Integer> flow = TaskFlow.from(Tasks.endless(2))
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

    /**
     * The flow is cancelled while its source waits for consumers, fetches, or receives outcomes. After two batches the
     * source waits for an interrupt. The interrupt must not reach the calls that report outcomes.
     */
    static class CancelledSource implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger settled = new AtomicInteger();
            AtomicInteger interrupted = new AtomicInteger();
            Source<Integer> source = new Source<>() {
                private int batches;

                @Override
                public List<Integer> next() throws InterruptedException {
                    if (batches++ == 2) {
                        new CountDownLatch(1).await();
                    }
                    return List.of(1, 2);
                }

                @Override
                public void settled(Outcome<Integer, ?> outcome) {
                    settled.incrementAndGet();
                    if (outcome instanceof Outcome.Cancelled && Thread.interrupted()) {
                        interrupted.incrementAndGet();
                    }
                }
            };
            RunningTaskFlow<Integer> flow = TaskFlow.from(source)
                    .buffer(2)
                    .prefetch(1)
                    .consumers(1)
                    .grace(Duration.ofHours(1))
                    .start(task -> {});
            schedule.thread("canceller", flow::cancel);
            TaskCounts counts = flow.await().counts();
            schedule.join();

            assertThat(settled).hasValue((int) counts.produced());
            assertThat(counts.pending()).isZero();
            assertThat(interrupted).hasValue(0);
            schedule.outcome("produced " + counts.produced());
        }
    }

    /**
     * The flow is cancelled shortly before its normal end. Completed tasks must be counted as succeeded, and all other
     * tasks as cancelled.
     */
    static class CancelledNearItsEnd implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger done = new AtomicInteger();
            RunningTaskFlow<Integer> flow = TaskFlow.of(Tasks.numbers(3))
                    .consumers(2)
                    .grace(Duration.ofHours(1))
                    .start(task -> done.incrementAndGet());
            schedule.thread("canceller", flow::cancel);
            TaskFlowReport<Integer> report = flow.await();
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

    /** The results are closed before the reader has read all of them, while consumers wait to deliver results. */
    static class ResultsLeftEarly implements InterleavingScenario {
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

    /**
     * A task is interrupted at its deadline, or it succeeds just before. A task must be interrupted only if its outcome
     * is a timeout, and never before its deadline.
     */
    static class LateTask implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Set<Integer> interrupted = ConcurrentHashMap.newKeySet();
            Set<Integer> late = ConcurrentHashMap.newKeySet();
            Map<Integer, Long> taskStarted = new ConcurrentHashMap<>();
            TaskFlowReport<Integer> report = TaskFlow.of(Tasks.numbers(3))
                    .consumers(1)
                    .continueOnFailure()
                    .deadline(Duration.ofMillis(1))
                    .grace(Duration.ofHours(1))
                    .listener(outcome -> {
                        if (outcome instanceof Outcome.TimedOut) {
                            late.add(outcome.task());
                        }
                    })
                    .run(task -> {
                        taskStarted.put(task, System.nanoTime());
                        LockSupport.parkNanos(900_000); // until its deadline, or just before
                        if (Thread.interrupted()) {
                            interrupted.add(task);
                            assertThat(System.nanoTime() - taskStarted.getOrDefault(task, 0L))
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

    /**
     * The first task ends exactly at its deadline. In some schedules the supervisor acts on this deadline when the
     * second task has already started. The second task must not be interrupted before its own deadline.
     */
    static class EarlyDeadline implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicLong settled = new AtomicLong();
            AtomicLong early = new AtomicLong();
            TaskFlow.of(List.of(0, 1))
                    .consumers(1)
                    .continueOnFailure()
                    .deadline(Duration.ofMillis(1))
                    .grace(Duration.ofHours(1))
                    .listener(outcome ->
                            settled.compareAndSet(0, schedule.elapsed().toNanos()))
                    .run(task -> {
                        long taskStarted = settled.get();
                        LockSupport.parkNanos(task == 0 ? 1_000_000 : 500_000);
                        long took = schedule.elapsed().toNanos() - taskStarted;
                        if (task == 1 && Thread.currentThread().isInterrupted() && took < 999_000) {
                            early.set(took);
                        }
                    });

            assertThat(early).hasValue(0);
        }
    }

    /**
     * A consumer returns shortly before or after it is abandoned. Either the consumer or the supervisor settles its
     * task, and the task must be settled only once.
     */
    static class AbandonedConsumer implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger settled = new AtomicInteger();
            AtomicInteger timedOut = new AtomicInteger();
            TaskFlowReport<Integer> report = TaskFlow.of(Tasks.numbers(3))
                    .consumers(1)
                    .continueOnFailure()
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

    static class FailingSource implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Source<Integer> failing = () -> {
                throw new IllegalStateException("gone");
            };
            try {
                TaskFlow.from(List.of(failing, batches(0)))
                        .buffer(1)
                        .consumers(2)
                        .run(task -> {});
                throw new AssertionError("it did not fail");
            } catch (TaskFlowException e) {
                TaskCounts counts = e.report().counts();
                assertThat(counts.succeeded()).isEqualTo(counts.produced());
                schedule.outcome("produced " + counts.produced());
            }
        }
    }

    private static TaskFlow<Integer> flow(int consumers) {
        return TaskFlow.from(List.of(batches(0), batches(10))).buffer(2).consumers(consumers);
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
