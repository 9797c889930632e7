// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One command that somebody waits for: a thread, or a future.
 *
 * @param <T> what its reply becomes
 */
final class PendingCall<T> extends Submission {

    private static final VarHandle OUTCOME;
    private static final VarHandle PLACE_IS_BACK;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(PendingCall.class, "outcome", Outcome.class);
            PLACE_IS_BACK = MethodHandles.lookup().findVarHandle(PendingCall.class, "placeIsBack", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Command<T> command;

    /** What is completed; null if a thread waits instead. */
    private final @Nullable Completion<T> completion;

    /** Decided once, by whoever comes first. */
    private volatile @Nullable Outcome outcome;

    /** Whether an answered future has given its place back; by {@link #PLACE_IS_BACK}. */
    private volatile boolean placeIsBack;

    PendingCall(Command<T> command, long now, long deadlineNanos, @Nullable Completion<T> completion) {
        begin(now, deadlineNanos);
        this.command = command;
        this.completion = completion;
        if (completion == null) {
            awaitedHere();
        }
    }

    @Nullable
    Outcome outcome() {
        return outcome;
    }

    @Override
    int commands() {
        return 1;
    }

    @Override
    long encodedBytes() {
        return command.encodedBytes();
    }

    @Override
    boolean encode(CommandWriter writer) {
        if (outcome != null) {
            return false;
        }
        endPosition = NOT_WRITTEN;
        writer.write(command, this, 0);
        return true;
    }

    @Override
    boolean reply(Reply reply, Tally tally) {
        Outcome answered = Outcomes.answered(reply);
        if (OUTCOME.compareAndSet(this, null, answered)) {
            tally.count(reply);
        } else {
            late();
        }
        return true;
    }

    @Override
    boolean end(Outcome decided, Account account) {
        if (!OUTCOME.compareAndSet(this, null, decided)) {
            return false;
        }
        account.ended(decided);
        return true;
    }

    @Override
    void endAtOnce(Outcome decided, Account account) {
        end(decided, account);
        complete();
    }

    @Override
    boolean lose(Loss loss, Account account) {
        Outcome lost = loss.of(this, endPosition, command.spec().idempotent());
        if (lost != null) {
            end(lost, account);
        }
        return outcome == null;
    }

    @Override
    boolean ended() {
        return outcome != null;
    }

    @Override
    boolean answered() {
        return Outcomes.wasAnswered(outcome);
    }

    /** A future that the reply has decided keeps its place until it is completed, which bounds what waits for that. */
    @Override
    boolean keepsItsPlace() {
        return completion != null && answered();
    }

    /** Whether it {@linkplain #keepsItsPlace keeps its place} still. */
    boolean owesItsPlace() {
        return keepsItsPlace() && !placeIsBack;
    }

    /** Its share of the window, for whoever asks first; 0 for all others, and if it is not for them to give back. */
    long placeToGiveBack() {
        return keepsItsPlace() && PLACE_IS_BACK.compareAndSet(this, false, true) ? cost : 0;
    }

    @Override
    void announce() {
        if (completion == null) {
            wakeWaiter();
        } else {
            completion.offer(this);
        }
    }

    /** Whether code of the user hangs on the future, which would run on the thread that completes it. */
    boolean hasDependents() {
        return completion != null && completion.future().getNumberOfDependents() > 0;
    }

    /** Completes the future: with the value, or with the exception that tells why there is none. */
    void complete() {
        if (completion == null || completion.future().isDone()) {
            return;
        }
        try {
            completion.future().complete(value());
        } catch (Throwable e) {
            // Whatever a decoder throws: a future that is never completed would be worse.
            completion.future().completeExceptionally(e);
        }
    }

    /** The decoded reply of a call that has ended. */
    T value() {
        return Failures.value(command, Objects.requireNonNull(outcome), this);
    }
}
