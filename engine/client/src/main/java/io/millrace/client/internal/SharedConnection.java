// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.Fusion;
import io.millrace.client.Outcome;
import io.millrace.client.Overflow;
import io.millrace.resp.Reply;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A connection that any number of callers share and that outlives the wires it runs over.
 *
 * <pre>
 *   callers -> Window -> Sender -> Wire -> Redis
 *                          ^ what a lost wire left over
 * </pre>
 *
 * <p>Here is what concerns all of it: the places for what is in flight, the account, time limits.
 */
final class SharedConnection implements SubmissionSink, Timekeeper.Watched, Accounts.Accountable {

    private final Engine engine;
    private final String name;
    private final ConnectionAccount.Kind kind;
    private final ClientOptions options;
    private final long timeoutNanos;
    private final Reconnector reconnector;
    private final Window window;
    private final Sender sender;

    /** Replaced once, before the connection is given to anybody. */
    private Account account = new Account();

    /**
     * Connects. A shared connection replaces a lost wire; a dedicated one ends with it, for what was agreed on over that wire
     * is lost too.
     *
     * @throws ConnectException if that fails
     */
    SharedConnection(Engine engine, String name, ConnectionAccount.Kind kind, Connector connector) {
        this.engine = engine;
        this.name = name;
        this.kind = kind;
        this.options = engine.options();
        this.timeoutNanos = options.commandTimeout().toNanos();
        Set<Fusion> wanted = kind == ConnectionAccount.Kind.SHARED ? options.fusion() : Fusion.NONE;
        this.reconnector = new Reconnector(options, wanted, name, engine.clock(), engine.random());
        this.window = new Window(options.inFlight(), options.inFlightBytes());
        this.sender = new Sender(this, connector.open(), reconnector, kind == ConnectionAccount.Kind.SHARED);
        // Before the writer, which tells the timekeeper when there is nothing to watch any more.
        engine.timekeeper().watch(this);
        boolean started = false;
        try {
            sender.start();
            started = true;
        } finally {
            if (!started) {
                engine.timekeeper().forget(this);
            }
        }
    }

    /** Begins the account anew, before the connection is given to anybody. */
    void forgetHandshake() {
        account = new Account();
    }

    // Submitting.

    @Override
    public void submit(Submission submission) {
        submission.connection = this;
        account.submitted(submission.commands());
        String ended = sender.endCause();
        if (ended != null) {
            submission.endAtOnce(new Outcome.Lost(false, ended), account);
            return;
        }
        long cost = window.cost(submission.commands(), submission.encodedBytes());
        if (!acquire(cost, submission)) {
            refuse(submission);
            return;
        }
        submission.cost = cost;
        sender.add(submission);
        sender.wire().readUnless(submission.waiter());
        wakeTimekeeper();
    }

    private boolean acquire(long cost, Submission submission) {
        if (window.tryAcquire(cost)) {
            return true;
        }
        if (options.overflow() == Overflow.REFUSE) {
            return false;
        }
        // Whoever waits for a place does not read meanwhile.
        sender.wire().readUnless(null);
        Events.Stall stall = new Events.Stall();
        stall.begin();
        try {
            return window.acquire(cost, submission.deadlineNanos - now());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            stall.connection = name;
            stall.commit();
        }
    }

    private void refuse(Submission submission) {
        Events.Refusal refusal = new Events.Refusal();
        if (refusal.shouldCommit()) {
            refusal.connection = name;
            refusal.commands = submission.commands();
            refusal.commit();
        }
        submission.endAtOnce(Outcomes.REFUSED, account);
    }

    // Those who wait.

    /** Reads for {@code submission}, if it is for this thread to do. */
    void readFor(Submission submission) {
        sender.wire().readFor(submission);
    }

    /** Wakes {@code waiter} if it is reading. */
    void wake(Thread waiter) {
        sender.wire().wake(waiter);
    }

    // What the wire needs.

    /** There is something to watch. */
    void wakeTimekeeper() {
        engine.timekeeper().wake();
    }

    /** Whether a place in the window is taken. */
    boolean hasInFlight() {
        return window.commandsTaken() > 0;
    }

    ClientOptions options() {
        return options;
    }

    /** For assertions: whether somebody has the sending role. */
    boolean somebodySends() {
        return sender.somebodySends();
    }

    LongSupplier clock() {
        return engine.clock();
    }

    /** What is fused over {@code link}. */
    FusibleKinds fusible(Link link) {
        return new FusibleKinds(link.fusible(), engine.refusedKinds());
    }

    Account counters() {
        return account;
    }

    /** Gives back places in the window. Any thread. */
    void release(long cost) {
        window.release(cost);
    }

    /** A reply came for {@code submission}, or a part of it, whose outcome had been decided. */
    void late(Submission submission) {
        account.late();
        Events.LateReply late = new Events.LateReply();
        if (late.shouldCommit()) {
            late.connection = name;
            late.afterDeadline = now() - submission.deadlineNanos;
            late.commit();
        }
    }

    void push(Reply.Push push) {
        engine.push(push);
    }

    void wireEnded() {
        sender.wireEnded();
    }

    /** Nothing can be sent any more, and everything has its outcome. */
    void ended() {
        engine.timekeeper().forget(this);
    }

    // The timekeeper.

    @Override
    public boolean tick(long now) {
        Wire wire = sender.wire();
        boolean sending = sender.tick(now);
        if (wire.callReaderIfUnused()) {
            return true;
        }
        wire.expire(now);
        return sending || !wire.idle() || wire.callerMayRead();
    }

    void expireIfOverdue(Submission submission, long now) {
        if (now - submission.deadlineNanos >= 0 && !submission.ended()) {
            expire(submission);
        }
    }

    void expire(Submission submission) {
        submission.endAndAnnounce(Outcomes.TIMED_OUT, account);
    }

    // What others want to know.

    @Override
    public long now() {
        return engine.clock().getAsLong();
    }

    /** How long a command may take by default. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    String name() {
        return name;
    }

    @Override
    public ConnectionAccount account() {
        return new ConnectionAccount(
                name,
                kind,
                isOpen(),
                account.counts(),
                window.commandsTaken(),
                window.bytesTaken(),
                account.lateReplies(),
                reconnector.reconnections(),
                account.fusion());
    }

    boolean isOpen() {
        return sender.endCause() == null && sender.wire().isOpen();
    }

    /** Whether nothing is in flight: no place is taken, no reply is owed. */
    boolean isIdle() {
        return sender.wire().idle() && window.commandsTaken() == 0;
    }

    /** What a message about {@code submission}, which is in trouble, should say of this connection. */
    String state(Submission submission) {
        Wire current = sender.wire();
        long taken = current.bytesTaken();
        long end = submission.endPosition;
        String phase = submission.cost == 0
                ? "waiting for a permit"
                : !current.isOpen() ? "not connected" : end == 0 || end > taken ? "buffered" : "sent";
        return "phase=" + phase + ", inFlight=" + window.commandsTaken() + ", limit=" + options.inFlight()
                + ", bytesInFlight=" + window.bytesTaken() + ", unsent=" + current.unsent() + ", waiting="
                + window.waiting() + ", lastReadAgo="
                + TimeUnit.NANOSECONDS.toMillis(now() - current.lastReadNanos()) + " ms";
    }

    /** Ends the connection; what has no outcome is lost. Waits until its threads have left. */
    void close() {
        sender.close();
    }
}
