// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests sources that have tasks again and again. */
class PollingSourceTest {

    @RegisterExtension
    static final CapturedLog LOG = new CapturedLog();

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void emptyBatchDoesNotEndTheFlow() throws Exception {
        Queue<Integer> due = new ConcurrentLinkedQueue<>(List.of(1));
        CountDownLatch polled = new CountDownLatch(5);
        CountDownLatch done = new CountDownLatch(2);
        Source<Integer> source = Source.polling(SHORT, () -> {
            polled.countDown();
            Integer next = due.poll();
            return next == null ? List.of() : List.of(next);
        });

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> done.countDown());
        polled.await(); // several empty batches
        due.add(2);
        done.await();
        boolean endedBefore = flow.isEnded();
        flow.cancel(OnStop.DRAIN);

        assertThat(endedBefore).isFalse();
        assertThat(flow.await().counts().succeeded()).isEqualTo(2);
    }

    @Test
    void cancelledFlowEndsTheWaitOfItsSource() throws Exception {
        CountDownLatch polled = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, () -> {
            polled.countDown();
            return List.of();
        });
        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        polled.await();

        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.abandoned()).isZero();
        assertThat(report.sourceFailures()).isEmpty();
    }

    @Test
    void polledSourceReceivesOutcomesAndTheClose() throws Exception {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch settled = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, new Source<>() {
            private final AtomicInteger polls = new AtomicInteger();

            @Override
            public List<Integer> next() {
                return polls.incrementAndGet() == 1 ? List.of(7) : List.of();
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) {
                calls.add("settled " + outcome.task());
                settled.countDown();
            }

            @Override
            public void close() {
                calls.add("closed");
            }
        });

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        settled.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.counts().succeeded()).isEqualTo(1);
        assertThat(calls).containsExactly("settled 7", "closed");
    }

    /** Fails {@code failures} times, then returns one task, and then nothing. */
    private static Source<Integer> failing(int failures, Callable<List<Integer>> failure) {
        AtomicInteger polls = new AtomicInteger();
        return () -> {
            int poll = polls.incrementAndGet();
            if (poll <= failures) {
                return failure.call();
            }
            return poll == failures + 1 ? List.of(7) : List.of();
        };
    }

    private static List<Integer> databaseIsAway() throws SQLException {
        throw new SQLException("the database is away");
    }

    @Test
    void flowSurvivesFailuresOfThePolledSource() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Source<Integer> source = Source.polling(SHORT, failing(3, PollingSourceTest::databaseIsAway));

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> done.countDown());
        done.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.sourceFailures()).isEmpty();
        assertThat(report.counts().succeeded()).isEqualTo(1);
        assertThat(LOG.lines()).hasSize(2).satisfies(lines -> {
            assertThat(lines.getFirst())
                    .matches("WARNING the polled source of a flow failed: source=\\S+, failures in a row=1,"
                            + " wait=1 ms\\. The flow continues and asks again after the wait\\. See the cause\\."
                            + " java\\.sql\\.SQLException: the database is away");
            assertThat(lines.getLast())
                    .matches("INFO the polled source of a flow answers again: source=\\S+, failures before=3\\.");
        });
    }

    @Test
    void flowSurvivesOutcomesThatThePolledSourceCannotHandle() throws Exception {
        CountDownLatch settled = new CountDownLatch(3);
        AtomicInteger polls = new AtomicInteger();
        Source<Integer> source = Source.polling(SHORT, new Source<>() {
            @Override
            public List<Integer> next() {
                int poll = polls.incrementAndGet();
                return poll <= 3 ? List.of(poll) : List.of();
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) throws SQLException {
                settled.countDown();
                var unused = databaseIsAway();
            }
        });

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        settled.await();
        flow.cancel(OnStop.DRAIN);
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.sourceFailures()).isEmpty();
        assertThat(report.counts().succeeded()).isEqualTo(3);
        assertThat(LOG.lines())
                .singleElement()
                .asString()
                .matches(
                        "WARNING the polled source of a flow has not handled the outcome of a task: source=\\S+, outcomes"
                                + " not handled=1\\. The flow continues\\. See the cause\\."
                                + " java\\.sql\\.SQLException: the database is away");
    }

    @Test
    void longOutageHasOneLineAMinute() throws Exception {
        AtomicLong clock = new AtomicLong();
        Source<Integer> failing = failing(6, () -> {
            clock.addAndGet(Duration.ofSeconds(30).toNanos());
            return databaseIsAway();
        });
        Source<Integer> source = new PollingSource<>(SHORT, failing, failure -> true, clock::get);

        assertThat(source.next()).containsExactly(7);

        assertThat(LOG.lines())
                .filteredOn(line -> line.startsWith("WARNING"))
                .extracting(line -> line.replaceAll(".*in a row=([0-9]+).*", "$1"))
                .containsExactly("1", "3", "5");
    }

    @Test
    void failureThatIsNotSurvivedEndsTheFlow() {
        Source<Integer> source = Source.polling(
                SHORT,
                failing(1, () -> {
                    throw new IllegalStateException("a mistake");
                }),
                SQLException.class::isInstance);

        assertThatThrownBy(() -> TaskFlow.from(source).run(task -> {}))
                .isInstanceOf(TaskFlowException.class)
                .hasMessageContaining("a mistake");
    }

    @Test
    void errorAndNullBatchEndTheFlow() {
        Source<Integer> error = Source.polling(SHORT, failing(1, () -> {
            throw new AssertionError("a mistake");
        }));
        Source<Integer> nullBatch = Source.polling(SHORT, failing(1, PollingSourceTest::noBatch));

        assertThatThrownBy(() -> TaskFlow.from(error).run(task -> {})).hasMessageContaining("a mistake");
        assertThatThrownBy(() -> TaskFlow.from(nullBatch).run(task -> {})).isInstanceOf(TaskFlowException.class);
    }

    @SuppressWarnings("NullAway") // breaks the contract of a source
    private static List<Integer> noBatch() {
        return null;
    }

    @Test
    void cancelledFlowDoesNotWaitForASourceWhoseDriverWrapsTheInterrupt() throws Exception {
        CountDownLatch polled = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, () -> {
            polled.countDown();
            try {
                new CountDownLatch(1).await();
                return List.of();
            } catch (InterruptedException e) {
                throw new SQLException("the query was interrupted", e);
            }
        });
        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        polled.await();

        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.abandoned()).isZero();
        assertThat(LOG.lines()).isEmpty();
    }

    @Test
    void cancelledFlowEndsTheWaitAfterAFailure() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, failing(Integer.MAX_VALUE, () -> {
            failed.countDown();
            return databaseIsAway();
        }));
        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        failed.await();

        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.abandoned()).isZero();
    }

    @Test
    void intervalOutOfRangeIsRejected() {
        assertThatThrownBy(() -> Source.polling(Duration.ZERO, () -> List.of(1)))
                .hasMessage("interval=zero is out of range: 1 ms to 24 h.");
    }
}
