// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.resp.Reply;
import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which failures are repeated, how often, and when. The test advances the clock instead of waiting. */
class RetryTest {

    private static final Command<Optional<String>> READ = Strings.get("k");
    private static final Command<Long> WRITE = Strings.increment("k");
    private static final Command<Reply> SCRIPT = Scripts.eval(Script.of("return 1"), List.of(), List.of());
    private static final RetryOptions OPTIONS =
            new RetryOptions(4, Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofSeconds(2));

    private final ManualClock clock = new ManualClock();
    private final List<Long> pauses = new ArrayList<>();
    private final List<Long> limits = new ArrayList<>();
    private final List<RedisException> thrown = new ArrayList<>();
    private Runnable duringPause = () -> {};

    private Retry retry(RetryOptions options) {
        return new Retry(options, new ClockAndRandom(clock, new Random(7)), new Pauses() {
            @Override
            public void sleep(long nanos) throws InterruptedException {
                pauses.add(nanos);
                clock.advance(Duration.ofNanos(nanos));
                duringPause.run();
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }

            @Override
            public void later(long nanos, Runnable next) {
                pauses.add(nanos);
                clock.advance(Duration.ofNanos(nanos));
                duringPause.run();
                next.run();
            }
        });
    }

    /** Throws {@code failure} the first {@code failures} times, then returns {@code value}. */
    private <T> T run(Command<?> command, int failures, RedisException failure, T value) {
        limits.add(command.deadlineNanos(Duration.ofSeconds(10).toNanos()));
        if (thrown.size() < failures) {
            thrown.add(failure);
            throw failure;
        }
        return value;
    }

    static Stream<Arguments> repeated() {
        return Stream.of(
                arguments(WRITE, new RefusedException("full")),
                arguments(WRITE, new ConnectionLostException("lost", false)),
                arguments(WRITE, new ConnectException(Reason.UNREACHABLE, "down")),
                arguments(WRITE, error("LOADING")),
                arguments(WRITE, error("BUSY")),
                arguments(WRITE, error("READONLY")),
                arguments(WRITE.idempotently(), new TimedOutException("late")),
                arguments(READ, new TimedOutException("late")),
                arguments(READ, new ConnectionLostException("lost", true)),
                arguments(SCRIPT.idempotently(), error("READONLY")));
    }

    static Stream<Arguments> notRepeated() {
        return Stream.of(
                arguments(WRITE, new ConnectionLostException("lost", true)),
                arguments(WRITE, new TimedOutException("late")),
                arguments(READ, error("WRONGTYPE")),
                arguments(READ, error("NOAUTH")),
                arguments(READ, new ConnectException(Reason.AUTHENTICATION, "refused")),
                arguments(READ, new UnexpectedReplyException("text", Reply.OK)),
                arguments(READ, new InterruptedCommandException("interrupted", false)),
                arguments(SCRIPT, error("READONLY")));
    }

    private static ErrorReplyException error(String code) {
        return new ErrorReplyException("C", new Reply.ErrorReply(code + " reason"));
    }

    @ParameterizedTest
    @MethodSource("repeated")
    void commandIsRepeatedIfItWasNotExecutedOrIsIdempotent(Command<?> command, RedisException failure) {
        String value = retry(OPTIONS).call(command.as(Replies::text), attempt -> run(attempt, 2, failure, "value"));

        assertThat(value).isEqualTo("value");

        assertThat(limits).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("notRepeated")
    <T> void commandIsNotRepeatedIfItMayHaveBeenExecutedOrFailsAgain(Command<T> command, RedisException failure) {
        assertThatThrownBy(() -> retry(OPTIONS).call(command, attempt -> {
                    throw count(failure);
                }))
                .isSameAs(failure);

        assertThat(thrown).hasSize(1);
        assertThat(failure.getSuppressed()).isEmpty();
    }

    private RedisException count(RedisException failure) {
        thrown.add(failure);
        return failure;
    }

    @Test
    void lastExceptionHasTheEarlierExceptionsAsSuppressedExceptions() {
        RefusedException last = catchThrowableOfType(
                RefusedException.class,
                () -> retry(OPTIONS).call(WRITE, attempt -> {
                    throw count(new RefusedException("attempt " + (thrown.size() + 1)));
                }));

        assertThat(last).hasMessage("attempt 4");
        assertThat(last.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("attempt 1", "attempt 2", "attempt 3");
    }

    @Test
    void delayDoublesUpToItsMaximumAndIsShortenedByAtMostOneHalf() {
        retry(OPTIONS).call(WRITE, attempt -> run(attempt, 3, new RefusedException("full"), 1L));

        assertThat(pauses).hasSize(3);
        assertThat(pauses.get(0)).isBetween(50_000_000L, 100_000_000L);
        assertThat(pauses.get(1)).isBetween(100_000_000L, 200_000_000L);
        assertThat(pauses.get(2)).isBetween(100_000_000L, 200_000_000L);
    }

    @Test
    void timeLimitOfEachAttemptEndsWithTheTimeLimitOfAllAttempts() {
        long second = Duration.ofSeconds(1).toNanos();
        Command<Long> short1 = WRITE.within(Duration.ofSeconds(1));

        retry(OPTIONS).call(short1, attempt -> {
            clock.advance(Duration.ofMillis(600));
            return run(attempt, 2, new RefusedException("full"), 1L);
        });

        assertThat(limits.get(0)).isEqualTo(second);
        assertThat(limits.get(1)).isEqualTo(second);
        assertThat(limits.get(2)).isEqualTo(2 * second - 2 * 600_000_000L - pauses.get(0) - pauses.get(1));
    }

    @Test
    void thereIsNoAttemptThatCouldNotEndWithinTheTimeLimit() {
        assertThatThrownBy(() -> retry(OPTIONS).call(WRITE, attempt -> {
                    clock.advance(Duration.ofMillis(1_980));
                    return run(attempt, 9, new RefusedException("full"), 1L);
                }))
                .isInstanceOf(RefusedException.class);

        assertThat(limits).hasSize(1);
        assertThat(pauses).isEmpty();
    }

    @Test
    void interruptBetweenTwoAttemptsEndsTheRetryAndKeepsTheInterruptFlag() {
        duringPause = () -> Thread.currentThread().interrupt();

        InterruptedCommandException interrupted = catchThrowableOfType(
                InterruptedCommandException.class,
                () -> retry(OPTIONS).call(WRITE, attempt -> run(attempt, 9, new RefusedException("full"), 1L)));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted.maybeExecuted()).isFalse();
        assertThat(interrupted)
                .hasMessageContaining("waiting to repeat INCRBY was interrupted after 1 failed attempts");
        assertThat(interrupted.getSuppressed()).containsExactlyElementsOf(thrown);
    }

    @Test
    void sentCommandIsRepeatedAndItsFutureCompletesOnce() {
        CompletableFuture<Long> future = retry(OPTIONS)
                .send(
                        WRITE,
                        attempt -> CompletableFuture.completedFuture(0L)
                                .thenApply(ignored -> run(attempt, 3, new RefusedException("full"), 5L)));

        assertThat(future).isCompletedWithValue(5L);
        assertThat(limits).hasSize(4);
    }

    @Test
    void futureOfASentCommandFailsWithTheLastException() {
        CompletableFuture<Long> future = retry(OPTIONS)
                .send(
                        WRITE,
                        attempt -> CompletableFuture.failedFuture(count(new RefusedException("n" + thrown.size()))));

        assertThat(future.exceptionNow()).hasMessage("n3").isInstanceOf(RefusedException.class);
        assertThat(future.exceptionNow().getSuppressed()).hasSize(3);
    }

    @Test
    void cancelledFutureEndsTheAttempts() {
        List<CompletableFuture<Long>> first = new ArrayList<>();
        CompletableFuture<Long> future = retry(OPTIONS).send(WRITE, attempt -> {
            CompletableFuture<Long> pending = new CompletableFuture<>();
            first.add(pending);
            return pending;
        });

        future.cancel(false);
        first.getFirst().completeExceptionally(new RefusedException("full"));

        assertThat(first).hasSize(1);
    }

    @Test
    void exceptionThatIsNotOfTheClientIsNotRepeated() {
        CompletableFuture<Long> future = retry(OPTIONS).send(WRITE, attempt -> {
            limits.add(0L);
            throw new IllegalArgumentException("needs a dedicated connection");
        });

        assertThat(future.exceptionNow()).isInstanceOf(IllegalArgumentException.class);
        assertThat(limits).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 60})
    void timeForWhichTheServerMayBlockIsAddedToTheTimeLimit(long seconds) {
        Command<?> blocking = Lists.awaitLeft(Duration.ofSeconds(seconds), "l");

        assertThat(blocking.withinAtMost(Duration.ofSeconds(2)).deadlineNanos(Long.MAX_VALUE))
                .isEqualTo(Duration.ofSeconds(2 + seconds).toNanos());
    }
}
