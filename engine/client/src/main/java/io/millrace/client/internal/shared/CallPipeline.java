// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.ResultListener;
import io.millrace.client.command.Command;
import io.millrace.client.exception.InterruptedCommandException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline whose commands may belong to several servers. Each command is a separate call, so that a server can redirect the
 * call. The pipeline collects some commands before it submits them, so that they are sent together.
 */
public final class CallPipeline implements Pipeline {

    /** Number of commands that are submitted together. */
    private static final int BATCH_COMMANDS = 64;

    private final SubmissionTarget target;
    private final long defaultNanos;
    private final @Nullable ResultListener listener;

    /** Maximum number of commands that are submitted and not reported to the listener. */
    private final int maxUnreported;

    /** The commands that are not submitted yet. */
    private final List<CallResult<?>> collected = new ArrayList<>(BATCH_COMMANDS);

    /** The submitted commands that are not reported to the listener, or not returned by {@link #run}. */
    private final ArrayDeque<CallResult<?>> submitted = new ArrayDeque<>();

    private long reported;
    private boolean inListener;

    public CallPipeline(SubmissionTarget target, ClientOptions options, @Nullable ResultListener listener) {
        this.target = target;
        this.defaultNanos = options.commandTimeout().toNanos();
        this.listener = listener;
        this.maxUnreported = BATCH_COMMANDS + 2 * options.inFlight();
    }

    /** The result of one command. Used by the thread of the pipeline; any thread may read after {@link #run}. */
    private static final class CallResult<T> implements Result<T> {

        private final Command<T> command;

        /** Null before the command is submitted. */
        private volatile @Nullable PendingCall<T> call;

        CallResult(Command<T> command) {
            this.command = command;
        }

        void submit(SubmissionTarget target, long defaultNanos) {
            long now = target.now();
            PendingCall<T> submission =
                    new PendingCall<>(command, now, now + command.deadlineNanos(defaultNanos), null);
            call = submission;
            target.submit(submission);
        }

        PendingCall<T> call() {
            return Objects.requireNonNull(call);
        }

        @Override
        public Command<T> command() {
            return command;
        }

        @Override
        public Outcome outcome() {
            PendingCall<T> submission = call;
            Outcome decided = submission == null ? null : submission.decided(0);
            if (decided == null) {
                throw new IllegalStateException(command.spec().name() + " has no outcome yet: run the pipeline first");
            }
            return decided;
        }

        @Override
        public T value() {
            return Failures.value(command, outcome(), call);
        }

        @Override
        public String toString() {
            PendingCall<T> submission = call;
            Outcome decided = submission == null ? null : submission.decided(0);
            return command.spec().name() + ": " + (decided == null ? "no outcome yet" : decided);
        }
    }

    @Override
    public <T> Result<T> add(Command<T> command) {
        refuseListener();
        ConnectionScope.SHARED.check(command);
        target.check(command);
        if (listener == null && submitted.size() + collected.size() >= MAX_RESULTS) {
            throw new IllegalStateException(
                    "a pipeline keeps " + MAX_RESULTS + " results at most: call run() earlier, or use a listener");
        }
        CallResult<T> result = new CallResult<>(command);
        collected.add(result);
        if (collected.size() == BATCH_COMMANDS) {
            submit();
            reportFinished();
        }
        return result;
    }

    private void submit() {
        for (CallResult<?> result : collected) {
            submitted.add(result);
            result.submit(target, defaultNanos);
        }
        collected.clear();
        while (listener != null && submitted.size() > maxUnreported) {
            // This wait limits the number of unreported results.
            await(submitted.element());
            reportFinished();
        }
    }

    @Override
    public List<Result<?>> run() {
        refuseListener();
        submit();
        submitted.forEach(this::await);
        if (listener != null) {
            reportFinished();
            return List.of();
        }
        List<Result<?>> results = List.copyOf(submitted);
        submitted.clear();
        return results;
    }

    private void await(CallResult<?> result) {
        if (!result.call().await()) {
            throw interrupted(result);
        }
    }

    /** Protects the arguments of all commands, because the caller may change its arrays from now on. */
    private InterruptedCommandException interrupted(CallResult<?> result) {
        submitted.forEach(other -> other.call().protectArguments());
        return Failures.interrupted("a pipeline", result.call());
    }

    /** Reports the results that have outcomes, in the order of the commands. */
    private void reportFinished() {
        ResultListener receiver = listener;
        for (CallResult<?> first = submitted.peek();
                receiver != null && first != null && first.call().isAnnounced();
                first = submitted.peek()) {
            await(first);
            submitted.remove();
            inListener = true;
            try {
                receiver.ended(reported++, first);
            } finally {
                inListener = false;
            }
        }
    }

    private void refuseListener() {
        if (inListener) {
            throw new IllegalStateException("a listener must not use the pipeline that calls it");
        }
    }
}
