// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.resilience.FailureRules.Verdict;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Refuses commands at once while a server does not work: {@code breaker.call(Strings.get("k"), client::call)}.
 * Thread-safe. One circuit breaker is for one server and is shared between all callers.
 *
 * <p>A closed circuit breaker runs all commands. It opens when the share of failures among the last calls reaches
 * {@link CircuitOptions#failurePercent}. An open circuit breaker refuses all commands with a {@link RefusedException}.
 * After {@link CircuitOptions#openFor}, the first command makes the circuit breaker half open. A half-open circuit breaker
 * runs {@link CircuitOptions#probes} commands and refuses all others. If all of these commands succeed, the circuit breaker
 * closes. After one failure, the circuit breaker opens again. A command that was refused or interrupted gives its place to
 * another command. A {@code ScriptCall} is not a {@code Command}: use {@code Scripts.eval}.
 *
 * <p>A timeout, a lost connection, a failed connection attempt, and the errors that {@link Retry} repeats, such as
 * {@code LOADING}, are failures. All other error replies count as success, because the server works. A refused command
 * and an interrupted caller do not count. The result of a call counts only if the state has not changed since the call
 * began.
 *
 * <p>DESIGN. {@link #lock} guards all mutable fields. No code of a caller runs while the lock is held, and each
 * operation under the lock takes constant time, except the change of the state, which clears the window.
 */
public final class CircuitBreaker {

    /** State of a circuit breaker. */
    public enum State {
        /** All commands run. */
        CLOSED,
        /** All commands are refused. The first command after {@link CircuitOptions#openFor} ends this state. */
        OPEN,
        /** Some commands run, to find out whether the server works. */
        HALF_OPEN
    }

    private final CircuitOptions options;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** The results of the last calls while the state is closed: the bit of a failure is set. */
    private final BitSet window;

    private State state = State.CLOSED;

    /** Number of changes of the state. The result of a call counts only if this number is the same as at its begin. */
    private long changes;

    /** Index of the oldest result in the window, and of the next result. */
    private int next;

    /** Number of results in the window. */
    private int results;

    private int failures;
    private long openedNanos;

    /** Commands that run or have succeeded while the state is half open. */
    private int probesStarted;

    private int probesSucceeded;

    CircuitBreaker(CircuitOptions options, LongSupplier clock) {
        this.options = options;
        this.clock = clock;
        this.window = new BitSet(options.window());
    }

    /** Returns a closed circuit breaker with {@code options}. */
    public static CircuitBreaker of(CircuitOptions options) {
        return new CircuitBreaker(options, ClockAndRandom.SYSTEM.clock());
    }

    /**
     * Runs {@code command} with {@code caller}, such as {@code client::call}.
     *
     * @throws RefusedException if the circuit breaker refuses the command
     */
    public <T> T call(Command<T> command, Function<? super Command<T>, ? extends T> caller) {
        long ticket = begin(command);
        Verdict verdict = Verdict.UNKNOWN;
        try {
            T value = caller.apply(command);
            verdict = Verdict.SUCCESS;
            return value;
        } catch (RuntimeException e) {
            verdict = FailureRules.verdict(e);
            throw e;
        } finally {
            end(ticket, verdict);
        }
    }

    /**
     * Runs {@code command} with {@code sender}, such as {@code client::send}. If the circuit breaker refuses the
     * command, the future fails with a {@link RefusedException}. The future of the sender must complete: a probe whose
     * future never completes keeps its place.
     *
     * @see RedisClient#send(Command)
     */
    public <T> CompletableFuture<T> send(
            Command<T> command, Function<? super Command<T>, ? extends CompletableFuture<T>> sender) {
        long ticket;
        try {
            ticket = begin(command);
        } catch (RefusedException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> future;
        try {
            future = Objects.requireNonNull(sender.apply(command), "the sender returned null");
        } catch (RuntimeException | Error e) {
            end(ticket, FailureRules.verdict(e));
            throw e;
        }
        CompletableFuture<T> unused =
                future.whenComplete((value, failure) -> end(ticket, FailureRules.verdict(failure)));
        return future;
    }

    /** The state at this moment. */
    public State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** Begins a call. Returns the ticket for {@link #end}. */
    private long begin(Command<?> command) {
        lock.lock();
        try {
            if (state == State.OPEN
                    && clock.getAsLong() - openedNanos >= options.openFor().toNanos()) {
                change(State.HALF_OPEN);
            }
            if (state == State.OPEN || (state == State.HALF_OPEN && probesStarted == options.probes())) {
                throw new RefusedException(command.spec().name() + " was refused by the circuit breaker: state=" + state
                        + ", open for " + TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - openedNanos)
                        + " ms. Nothing was sent, so the command can be repeated later");
            }
            if (state == State.HALF_OPEN) {
                probesStarted++;
            }
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the call with {@code ticket}. */
    private void end(long ticket, Verdict verdict) {
        lock.lock();
        try {
            if (ticket != changes) {
                return;
            }
            switch (state) {
                case CLOSED -> record(verdict);
                case HALF_OPEN -> endProbe(verdict);
                case OPEN -> throw new IllegalStateException("a call began while the circuit breaker was open");
            }
        } finally {
            lock.unlock();
        }
    }

    private void record(Verdict verdict) {
        if (verdict == Verdict.UNKNOWN) {
            return;
        }
        boolean failed = verdict == Verdict.FAILURE;
        failures += (failed ? 1 : 0) - (window.get(next) ? 1 : 0);
        window.set(next, failed);
        next = (next + 1) % options.window();
        results = Math.min(options.window(), results + 1);
        if (results == options.window() && 100L * failures >= (long) options.failurePercent() * results) {
            change(State.OPEN);
        }
    }

    private void endProbe(Verdict verdict) {
        switch (verdict) {
            case UNKNOWN -> probesStarted--;
            case FAILURE -> change(State.OPEN);
            case SUCCESS -> {
                probesSucceeded++;
                if (probesSucceeded == options.probes()) {
                    change(State.CLOSED);
                }
            }
        }
    }

    private void change(State newState) {
        state = newState;
        changes++;
        if (newState == State.OPEN) {
            openedNanos = clock.getAsLong();
        }
        window.clear();
        next = 0;
        results = 0;
        failures = 0;
        probesStarted = 0;
        probesSucceeded = 0;
    }
}
