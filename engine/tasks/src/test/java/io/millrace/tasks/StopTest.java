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
    void aFailureStopsTheFlow() {
        Flow<Integer> flow = Flow.from(endless(10)).consumers(4).name("feeds");

        assertThatThrownBy(() -> flow.run(task -> {
                    if (task == 100) {
                        throw new IOException("refused");
                    }
                }))
                .isInstanceOfSatisfying(FlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.TASK_FAILED);
                    assertThat(e.report().counts().failed()).isEqualTo(1);
                    assertThat(e).hasRootCauseInstanceOf(IOException.class);
                    assertThat(e)
                            .hasMessageContaining("name=feeds, ending=TASK_FAILED")
                            .hasMessageContaining("failed: 1");
                });
    }

    @Test
    void aFailureWithoutMemoryStopsEvenAFlowThatCarriesOn() {
        Flow<Integer> flow = Flow.from(endless(10)).carryOn();

        assertThatThrownBy(() -> flow.run(task -> {
                    throw new OutOfMemoryError("made up");
                }))
                .isInstanceOf(FlowException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void whatAFailingSourceHasProducedIsDone() {
        AtomicInteger calls = new AtomicInteger();
        Source<Integer> failing = () -> {
            int call = calls.getAndIncrement();
            if (call == 5) {
                throw new IOException("database gone");
            }
            return List.of(call * 2, call * 2 + 1);
        };
        AtomicInteger done = new AtomicInteger();

        assertThatThrownBy(() -> Flow.from(failing).consumers(2).run(task -> done.incrementAndGet()))
                .isInstanceOfSatisfying(FlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
                    assertThat(e.report().counts()).isEqualTo(counts(10, 0, 0, 0));
                    assertThat(e.report().sourceFailures()).hasSize(1);
                    assertThat(e).hasRootCauseMessage("database gone");
                });
        assertThat(done).hasValue(10);
    }

    @Test
    void aFailingSourceEndsTheOthersToo() {
        Source<Integer> failing = () -> {
            throw new IOException("database gone");
        };

        assertThatThrownBy(() -> Flow.from(List.of(endless(5), failing)).run(task -> {}))
                .isInstanceOfSatisfying(
                        FlowException.class,
                        e -> assertThat(e.report().counts().succeeded())
                                .isEqualTo(e.report().counts().produced()));
    }

    @Test
    void whoIsToldOfCancelledTasksIsNotInterrupted() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.from(endless(100))
                .buffer(10)
                .consumers(1)
                .listener(outcome -> {
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted.incrementAndGet();
                    }
                })
                .start(task -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        begun.await();
        flow.cancel();
        flow.await();

        assertThat(interrupted).hasValue(0);
    }

    @Test
    void anInterruptSetByTheListenerDoesNotReachTheNextTask() {
        AtomicInteger interrupted = new AtomicInteger();

        Flow.of(numbers(100))
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
    void theListenerIsToldEvenIfTheSourceCannotTakeNote() {
        AtomicInteger told = new AtomicInteger();
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

        assertThatThrownBy(() -> Flow.from(source)
                        .listener(outcome -> told.incrementAndGet())
                        .run(task -> {}))
                .hasRootCauseMessage("not acknowledged");
        assertThat(told).hasValue(1);
    }

    @Test
    void aListenerThatWaitsIsInterruptedWhenTheFlowIsDropped() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.of(numbers(3))
                .consumers(1)
                .grace(Duration.ofMillis(10))
                .listener(outcome -> {
                    told.countDown();
                    new CountDownLatch(1).await();
                })
                .start(task -> {});
        told.await();
        flow.close();

        assertThat(flow.counts().pending()).isZero();
    }

    @Test
    void aFlowsOwnThreadCannotWaitForItsEnd() {
        AtomicReference<RunningFlow<Integer>> flow = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        flow.set(Flow.of(numbers(1)).start(task -> {
            known.await();
            flow.get().await();
        }));
        known.countDown();

        assertThatThrownBy(() -> flow.get().await())
                .isInstanceOf(FlowException.class)
                .hasRootCauseMessage("a flow's own thread waits for its end: name=tasks. Call cancel() there");
    }

    @Test
    void aCancelledFlowDropsWhatItHas() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        Set<Integer> settled = ConcurrentHashMap.newKeySet();

        RunningFlow<Integer> flow = Flow.from(endless(10))
                .buffer(100)
                .consumers(2)
                .listener(outcome -> settled.add(outcome.task()))
                .start(task -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        begun.await();
        flow.cancel();
        FlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().cancelled()).isEqualTo(report.counts().produced());
        assertThat((long) settled.size()).isEqualTo(report.counts().produced());
        assertThat(report.sourceFailures()).isEmpty();
        assertThat(report.abandoned()).isZero();
    }

    @Test
    void aCancelledFlowThatDrainsDoesWhatItHas() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.from(endless(1))
                .buffer(100)
                .onStop(OnStop.DRAIN)
                .start(task -> {
                    begun.countDown();
                    go.await();
                });
        begun.await();
        flow.cancel();
        go.countDown();
        FlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().succeeded())
                .isEqualTo(report.counts().produced())
                .isPositive();
    }

    @Test
    void aFlowThatDrainsCanStillBeDropped() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.from(endless(1)).consumers(1).start(task -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        begun.await();

        flow.cancel(OnStop.DRAIN);
        boolean ended = flow.await(Duration.ofMillis(20));
        flow.cancel(OnStop.DROP);

        assertThat(ended).isFalse();
        assertThat(flow.await().counts().succeeded()).isZero();
    }

    @Test
    void aTaskThatIsDoneAlthoughItWasInterruptedHasSucceeded() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.of(List.of(1)).start(task -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // Its last step is done nevertheless.
            }
        });
        begun.await();
        flow.cancel();

        assertThat(flow.await().counts()).isEqualTo(counts(1, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptStopsTheFlowAndStaysSet(OnStop how) {
        Flow<Integer> flow = Flow.from(endless(10)).consumers(2).onStop(how);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> flow.run(task -> {})).isInstanceOfSatisfying(FlowException.class, e -> {
            assertThat(e.report().ending()).isEqualTo(Ending.INTERRUPTED);
            assertThat(e.report().counts().pending()).isZero();
        });
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aSourceThatWaitsIsInterrupted() {
        CountDownLatch waiting = new CountDownLatch(1);
        Source<Integer> source = () -> {
            waiting.countDown();
            new CountDownLatch(1).await();
            return List.of();
        };

        RunningFlow<Integer> flow = Flow.from(source).start(task -> {});
        flow.cancel();

        assertThat(flow.await().ending()).isEqualTo(Ending.CANCELLED);
    }

    @Test
    void aSourceThatDoesNotReturnIsAbandoned() throws Exception {
        CountDownLatch fetching = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Source<Integer> source = () -> {
            fetching.countDown();
            awaitWhateverComes(never);
            return numbers(5);
        };

        RunningFlow<Integer> flow =
                Flow.from(source).grace(Duration.ofMillis(10)).start(task -> {});
        fetching.await();
        flow.cancel();
        FlowReport<Integer> report = flow.await();
        never.countDown();

        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 0));
    }

    @Test
    void aListenerThatThrowsStopsTheFlow() {
        Flow<Integer> flow = Flow.from(endless(10)).listener(outcome -> {
            throw new IOException("disk full");
        });

        assertThatThrownBy(() -> flow.run(task -> {})).isInstanceOfSatisfying(FlowException.class, e -> {
            assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
            assertThat(e).hasRootCauseMessage("disk full");
        });
    }

    @Test
    void aSourceThatCannotCloseIsTold() {
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

        assertThatThrownBy(() -> Flow.from(source).run(task -> {}))
                .isInstanceOf(FlowException.class)
                .hasRootCauseMessage("not acknowledged: 3");
    }

    @Test
    void aFlowIsStartedOnce() {
        Flow<Integer> flow = Flow.of(numbers(1));
        flow.run(task -> {});

        assertThatThrownBy(() -> flow.run(task -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("flow was started before: name=tasks");
    }

    @SuppressWarnings("NullAway")
    static void awaitWhateverComes(CountDownLatch latch) {
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
