// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.endless;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StopTest {

    @Test
    void failureOfATaskStopsTheFlow() {
        TaskFlow<Integer> taskFlow = TaskFlow.from(endless(10)).consumers(4).name("feeds");

        assertThatThrownBy(() -> taskFlow.run(task -> {
                    if (task == 100) {
                        throw new IOException("refused");
                    }
                }))
                .isInstanceOfSatisfying(TaskFlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.TASK_FAILED);
                    assertThat(e.report().counts().failed()).isEqualTo(1);
                    assertThat(e).hasRootCauseInstanceOf(IOException.class);
                    assertThat(e)
                            .hasMessageContaining("name=feeds, ending=TASK_FAILED")
                            .hasMessageContaining("failed: 1");
                });
    }

    @Test
    void outOfMemoryErrorStopsTheFlowEvenIfTheFlowContinuesOnFailure() {
        TaskFlow<Integer> taskFlow = TaskFlow.from(endless(10)).continueOnFailure();

        assertThatThrownBy(() -> taskFlow.run(task -> {
                    throw new OutOfMemoryError("made up");
                }))
                .isInstanceOf(TaskFlowException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void tasksOfAFailedSourceAreExecuted() {
        AtomicInteger calls = new AtomicInteger();
        Source<Integer> failing = () -> {
            int call = calls.getAndIncrement();
            if (call == 5) {
                throw new IOException("database gone");
            }
            return List.of(call * 2, call * 2 + 1);
        };
        AtomicInteger done = new AtomicInteger();

        assertThatThrownBy(() -> TaskFlow.from(failing).consumers(2).run(task -> done.incrementAndGet()))
                .isInstanceOfSatisfying(TaskFlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
                    assertThat(e.report().counts()).isEqualTo(counts(10, 0, 0, 0));
                    assertThat(e.report().sourceFailures()).hasSize(1);
                    assertThat(e).hasRootCauseMessage("database gone");
                });
        assertThat(done).hasValue(10);
    }

    @Test
    void failureOfASourceEndsTheOtherSources() {
        Source<Integer> failing = () -> {
            throw new IOException("database gone");
        };

        assertThatThrownBy(() -> TaskFlow.from(List.of(endless(5), failing)).run(task -> {}))
                .isInstanceOfSatisfying(
                        TaskFlowException.class,
                        e -> assertThat(e.report().counts().succeeded())
                                .isEqualTo(e.report().counts().produced()));
    }

    @Test
    void listenerOfCancelledTasksIsNotInterrupted() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch taskStarted = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.from(endless(100))
                .buffer(10)
                .consumers(1)
                .listener(outcome -> {
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted.incrementAndGet();
                    }
                })
                .start(task -> {
                    taskStarted.countDown();
                    new CountDownLatch(1).await();
                });
        taskStarted.await();
        flow.cancel();
        flow.await();

        assertThat(interrupted).hasValue(0);
    }

    @Test
    void interruptSetByTheListenerDoesNotReachTheNextTask() {
        AtomicInteger interrupted = new AtomicInteger();

        TaskFlow.of(numbers(100))
                .consumers(1)
                .listener(outcome -> Thread.currentThread().interrupt())
                .run(task -> {
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted.incrementAndGet();
                    }
                });

        assertThat(interrupted).hasValue(0);
    }

    @Test
    void listenerIsCalledEvenIfTheSettledMethodOfTheSourceFails() {
        AtomicInteger calls = new AtomicInteger();
        Source<Integer> source = new Source<>() {
            private boolean done;

            @Override
            public List<Integer> next() {
                boolean end = done;
                done = true;
                return end ? List.of() : numbers(1);
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) throws IOException {
                throw new IOException("not acknowledged");
            }
        };

        assertThatThrownBy(() -> TaskFlow.from(source)
                        .listener(outcome -> calls.incrementAndGet())
                        .run(task -> {}))
                .hasRootCauseMessage("not acknowledged");
        assertThat(calls).hasValue(1);
    }

    @Test
    void waitingListenerIsInterruptedWhenTheFlowIsDropped() throws Exception {
        CountDownLatch calls = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.of(numbers(3))
                .consumers(1)
                .grace(Duration.ofMillis(10))
                .listener(outcome -> {
                    calls.countDown();
                    new CountDownLatch(1).await();
                })
                .start(task -> {});
        calls.await();
        flow.close();

        assertThat(flow.counts().pending()).isZero();
    }

    @Test
    void threadOfAFlowCannotWaitForTheEndOfTheFlow() {
        AtomicReference<RunningTaskFlow<Integer>> flow = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        flow.set(TaskFlow.of(numbers(1)).start(task -> {
            known.await();
            flow.get().await();
        }));
        known.countDown();

        assertThatThrownBy(() -> flow.get().await())
                .isInstanceOf(TaskFlowException.class)
                .hasRootCauseMessage(
                        "a thread of a flow cannot wait for the end of this flow: name=tasks. Call cancel() instead");
    }

    @Test
    void cancelledFlowDropsItsTasks() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(2);
        Set<Integer> settled = ConcurrentHashMap.newKeySet();

        RunningTaskFlow<Integer> flow = TaskFlow.from(endless(10))
                .buffer(100)
                .consumers(2)
                .listener(outcome -> settled.add(outcome.task()))
                .start(task -> {
                    taskStarted.countDown();
                    new CountDownLatch(1).await();
                });
        taskStarted.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().cancelled()).isEqualTo(report.counts().produced());
        assertThat((long) settled.size()).isEqualTo(report.counts().produced());
        assertThat(report.sourceFailures()).isEmpty();
        assertThat(report.abandoned()).isZero();
    }

    @Test
    void cancelledFlowThatDrainsExecutesItsTasks() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.from(endless(1))
                .buffer(100)
                .onStop(OnStop.DRAIN)
                .start(task -> {
                    taskStarted.countDown();
                    go.await();
                });
        taskStarted.await();
        flow.cancel();
        go.countDown();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().succeeded())
                .isEqualTo(report.counts().produced())
                .isPositive();
    }

    @Test
    void drainingFlowCanBeDropped() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.from(endless(1)).consumers(1).start(task -> {
            taskStarted.countDown();
            new CountDownLatch(1).await();
        });
        taskStarted.await();

        flow.cancel(OnStop.DRAIN);
        boolean ended = flow.await(Duration.ofMillis(20));
        flow.cancel(OnStop.DROP);

        assertThat(ended).isFalse();
        assertThat(flow.await().counts().succeeded()).isZero();
    }

    @Test
    void taskThatCompletesAfterAnInterruptHasSucceeded() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.of(List.of(1)).start(task -> {
            taskStarted.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The task ends normally.
            }
        });
        taskStarted.await();
        flow.cancel();

        assertThat(flow.await().counts()).isEqualTo(counts(1, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource
    void interruptOfTheCallerStopsTheFlowAndTheInterruptFlagIsSetAgain(OnStop mode) {
        TaskFlow<Integer> taskFlow = TaskFlow.from(endless(10)).consumers(2).onStop(mode);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> taskFlow.run(task -> {})).isInstanceOfSatisfying(TaskFlowException.class, e -> {
            assertThat(e.report().ending()).isEqualTo(Ending.INTERRUPTED);
            assertThat(e.report().counts().pending()).isZero();
        });
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void waitingSourceIsInterruptedWhenTheFlowIsCancelled() {
        CountDownLatch waiting = new CountDownLatch(1);
        Source<Integer> source = () -> {
            waiting.countDown();
            new CountDownLatch(1).await();
            return List.of();
        };

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        flow.cancel();

        assertThat(flow.await().ending()).isEqualTo(Ending.CANCELLED);
    }

    @Test
    void sourceThatDoesNotReturnIsAbandoned() throws Exception {
        CountDownLatch fetching = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Source<Integer> source = () -> {
            fetching.countDown();
            awaitUninterruptibly(release);
            return numbers(5);
        };

        RunningTaskFlow<Integer> flow =
                TaskFlow.from(source).grace(Duration.ofMillis(10)).start(task -> {});
        fetching.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();
        release.countDown();

        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 0));
    }

    @Test
    void exceptionOfTheListenerStopsTheFlow() {
        TaskFlow<Integer> taskFlow = TaskFlow.from(endless(10)).listener(outcome -> {
            throw new IOException("disk full");
        });

        assertThatThrownBy(() -> taskFlow.run(task -> {})).isInstanceOfSatisfying(TaskFlowException.class, e -> {
            assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
            assertThat(e).hasRootCauseMessage("disk full");
        });
    }

    @Test
    void failureToCloseASourceIsReported() {
        Source<Integer> source = new Source<>() {
            @Override
            public List<Integer> next() {
                return List.of();
            }

            @Override
            public void close() throws IOException {
                throw new IOException("not acknowledged: 3");
            }
        };

        assertThatThrownBy(() -> TaskFlow.from(source).run(task -> {}))
                .isInstanceOf(TaskFlowException.class)
                .hasRootCauseMessage("not acknowledged: 3");
    }

    @Test
    void flowCanBeStartedOnlyOnce() {
        TaskFlow<Integer> taskFlow = TaskFlow.of(numbers(1));
        taskFlow.run(task -> {});

        assertThatThrownBy(() -> taskFlow.run(task -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("flow was already started: name=tasks");
    }

    @SuppressWarnings("NullAway")
    static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
