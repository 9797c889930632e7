// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.resilience.CircuitBreaker.State;
import io.millrace.client.resilience.FailureRules.Verdict;
import io.millrace.resp.Reply;
import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the states of a circuit breaker with a clock that the test advances. */
class CircuitBreakerTest {

    private static final Command<Long> COMMAND = Strings.increment("k");
    private static final Duration OPEN_FOR = Duration.ofSeconds(5);
    private static final CircuitOptions OPTIONS = new CircuitOptions(4, 50, OPEN_FOR, 2);

    private static final List<Verdict> VERDICTS = List.of(Verdict.values());

    private final ManualClock clock = new ManualClock();
    private final CircuitBreaker breaker = new CircuitBreaker(OPTIONS, clock);

    private void succeed(int calls) {
        for (int i = 0; i < calls; i++) {
            breaker.call(COMMAND, command -> 1L);
        }
    }

    private void fail(RuntimeException failure) {
        assertThatThrownBy(() -> breaker.call(COMMAND, command -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    private void open() {
        succeed(2);
        fail(new TimedOutException("late"));
        fail(new TimedOutException("late"));
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    private CompletableFuture<Long> send() {
        return breaker.send(COMMAND, command -> new CompletableFuture<>());
    }

    private boolean refused() {
        CompletableFuture<Long> future = send();
        return future.isDone() && future.exceptionNow() instanceof RefusedException;
    }

    @Test
    void circuitBreakerOpensOnlyWhenTheWindowIsFull() {
        for (int i = 0; i < 3; i++) {
            fail(new TimedOutException("late"));
            assertThat(breaker.state()).isEqualTo(State.CLOSED);
        }
        succeed(1);

        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void onlyTheLastCallsCount() {
        fail(new TimedOutException("late"));
        succeed(4);
        fail(new TimedOutException("late"));
        succeed(3);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void errorsThatTheCommandCausedCountAsSuccess() {
        for (int i = 0; i < 9; i++) {
            fail(new ErrorReplyException("INCRBY", new Reply.ErrorReply("WRONGTYPE wrong")));
        }
        assertThat(breaker.state()).isEqualTo(State.CLOSED);

        fail(new ErrorReplyException("INCRBY", new Reply.ErrorReply("LOADING later")));
        fail(new ErrorReplyException("INCRBY", new Reply.ErrorReply("LOADING later")));
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void refusedCommandsInterruptsAndOtherExceptionsDoNotCount() {
        for (int i = 0; i < 9; i++) {
            fail(new RefusedException("full"));
            fail(new InterruptedCommandException("interrupted", true));
            fail(new IllegalArgumentException("wrong"));
        }

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        open();
    }

    @Test
    void openCircuitBreakerRefusesCommandsAndNamesItsState() {
        open();
        clock.advance(Duration.ofMillis(4_999));

        assertThatThrownBy(() -> succeed(1))
                .isInstanceOf(RefusedException.class)
                .hasMessage("INCRBY was refused by the circuit breaker: state=OPEN, open for 4999 ms."
                        + " Nothing was sent, so the command can be repeated later");
        assertThat(refused()).isTrue();
    }

    @Test
    void halfOpenCircuitBreakerRunsAsManyCommandsAsItHasProbesAndClosesIfAllSucceed() {
        open();
        clock.advance(OPEN_FOR);

        CompletableFuture<Long> first = send();
        CompletableFuture<Long> second = send();
        assertThat(refused()).isTrue();
        first.complete(1L);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(refused()).isTrue();
        second.complete(1L);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void failedProbeOpensTheCircuitBreakerAgainForTheWholeTime() {
        open();
        clock.advance(OPEN_FOR);
        succeed(1);
        fail(new TimedOutException("late"));

        clock.advance(OPEN_FOR.minusNanos(1));
        assertThat(refused()).isTrue();
        clock.advance(Duration.ofNanos(1));
        assertThat(refused()).isFalse();
    }

    @Test
    void probeWithoutAResultIsReplacedByAnotherProbe() {
        open();
        clock.advance(OPEN_FOR);
        fail(new RefusedException("full"));
        fail(new IllegalStateException("closed"));
        send().cancel(false);
        succeed(2);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void resultOfACallThatBeganInAnEarlierStateDoesNotCount() {
        CompletableFuture<Long> old = send();
        open();
        clock.advance(OPEN_FOR);
        CompletableFuture<Long> probe = send();

        old.completeExceptionally(new TimedOutException("late"));
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        probe.complete(1L);
        succeed(1);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void refusalOfTheCircuitBreakerIsRepeatedByARetry() {
        open();

        assertThat(FailureRules.isRepeatable(COMMAND, new RefusedException("open")))
                .isTrue();
    }

    /**
     * Begins and ends overlapping calls in a random order, and compares each state with a model that keeps all results
     * in a list.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void statesAreTheStatesOfTheModelForEveryOrderOfCalls(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        List<Call> running = new ArrayList<>();
        int opened = 0;
        for (int step = 0; step < 20_000; step++) {
            State before = breaker.state();
            switch (random.nextInt(7)) {
                case 0, 1, 2 -> {
                    CompletableFuture<Long> future = send();
                    assertThat(future.isDone()).isEqualTo(!model.begin());
                    if (!future.isDone()) {
                        running.add(new Call(future, model.epoch));
                    }
                }
                case 3, 4, 5 -> {
                    if (!running.isEmpty()) {
                        Call call = running.remove(random.nextInt(running.size()));
                        Verdict verdict = VERDICTS.get(random.nextInt(3));
                        call.end(verdict);
                        model.end(call.epoch, verdict);
                    }
                }
                default -> {
                    Duration passed = Duration.ofMillis(random.nextInt(2_000));
                    clock.advance(passed);
                    model.waited += passed.toNanos();
                }
            }
            assertThat(breaker.state()).as("step %d", step).isEqualTo(model.state);
            opened += before != State.OPEN && model.state == State.OPEN ? 1 : 0;
        }
        assertThat(opened).as("times the circuit breaker opened").isGreaterThan(10);
    }

    private record Call(CompletableFuture<Long> future, int epoch) {

        void end(Verdict verdict) {
            switch (verdict) {
                case SUCCESS -> future.complete(1L);
                case FAILURE -> future.completeExceptionally(new TimedOutException("late"));
                case UNKNOWN -> future.cancel(false);
            }
        }
    }

    private static final class Model {

        private final Deque<Boolean> failures = new ArrayDeque<>();
        private State state = State.CLOSED;
        private int epoch;
        private int probes;
        private int succeeded;
        private long waited;

        boolean begin() {
            if (state == State.OPEN && waited >= OPEN_FOR.toNanos()) {
                enter(State.HALF_OPEN);
            }
            if (state == State.OPEN || (state == State.HALF_OPEN && probes + succeeded == 2)) {
                return false;
            }
            probes++;
            return true;
        }

        void end(int began, Verdict verdict) {
            if (began != epoch) {
                return;
            }
            probes--;
            if (verdict == Verdict.UNKNOWN) {
                return;
            }
            if (state == State.HALF_OPEN) {
                succeeded++;
                if (verdict == Verdict.FAILURE) {
                    enter(State.OPEN);
                } else if (succeeded == 2) {
                    enter(State.CLOSED);
                }
                return;
            }
            failures.add(verdict == Verdict.FAILURE);
            if (failures.size() > 4) {
                failures.remove();
            }
            if (failures.size() == 4
                    && failures.stream().filter(failed -> failed).count() >= 2) {
                enter(State.OPEN);
            }
        }

        private void enter(State next) {
            state = next;
            epoch++;
            probes = 0;
            succeeded = 0;
            waited = 0;
            failures.clear();
        }
    }
}
