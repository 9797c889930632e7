// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.Outcome;
import io.millrace.client.Overflow;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that any number of callers share and that outlives the wires it runs over.
 *
 * <pre>
 *   callers -> Window -> WaitingLine -> [sending role] -> Wire -> Redis
 *                          ^ what a lost wire left over
 * </pre>
 *
 * <p>DESIGN. One at a time has the <em>sending role</em>: it takes submissions from the queue, encodes them, gives them their
 * slots and writes. A batch is what piled up during the last write; there is no timer. The role is free while nothing waits to
 * be sent. Who adds a submission and finds it free
 *
 * <ul>
 *   <li>takes it and writes, if it is alone or brings a whole batch. It writes once; if something is left then, the role goes
 *       to the writer;
 *   <li>does the same a moment later, if it will wait for the reply but is not alone: it promises to take the role and yields.
 *       Others that can run now add theirs meanwhile, and all go out in one write. A promise binds nobody: the timekeeper gives
 *       the role to the writer if the thread does not come to run again;
 *   <li>gives it to the writer otherwise, which sends while the caller goes on.
 * </ul>
 *
 * <p>The writer has the role, too, while there is no wire: it connects again, and what waits meanwhile waits in line. So
 * whoever gets the free role finds a wire. When it loses a wire it puts what may be sent again back in front of the line,
 * and ends the rest as lost.
 *
 * <p>Order of the role's hand-over: who adds links first and then reads the role; who leaves frees the role first and then
 * looks into the queue. Both are volatile, so nothing stays behind.
 */
final class SharedConnection implements SubmissionSink, Timekeeper.Watched, Accounts.Accountable {

    private static final String CLOSED = "closed by this client";

    private static final int FREE = 0;
    private static final int CALLER = 1;
    private static final int WRITER = 2;
    private static final int PROMISED = 3;

    private final Engine engine;
    private final String name;
    private final ConnectionAccount.Kind kind;
    private final ClientOptions options;
    private final long timeoutNanos;
    private final Reconnector reconnector;

    /** Replaced once, before the connection is given to anybody. */
    private Account account = new Account();

    private final Window window;
    private final WaitingLine waiting = new WaitingLine();

    private final AtomicInteger role = new AtomicInteger(WRITER);
    private final Thread writer;

    /** Written by the writer while it has the role. */
    private volatile Wire wire;

    /** A wire that somebody with the role left in the middle of something; the writer ends it. */
    private volatile @Nullable Wire brokenWire;

    /** Set once, by {@link #close}. */
    private volatile boolean closing;

    /** Why nothing can be sent any more; written by the writer when it ends. */
    private volatile @Nullable String endCause;

    /** Held by whoever empties the queue after the end, when there is no role any more. */
    private final ReentrantLock afterEnd = new ReentrantLock();

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
        this.reconnector = new Reconnector(options, name, engine.clock(), engine.random());
        this.window = new Window(options.inFlight(), options.inFlightBytes());
        this.wire = new Wire(this, connector.open(), options.inFlight());
        this.writer =
                Thread.ofPlatform().name("millrace-writer-" + name).daemon().unstarted(this::work);
        // Before the writer, which tells the timekeeper when there is nothing to watch any more.
        engine.timekeeper().watch(this);
        boolean started = false;
        try {
            wire.start();
            writer.start();
            started = true;
        } finally {
            if (!started) {
                wire.end("its threads could not be started");
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
        String ended = endCause;
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
        waiting.add(submission);
        if (endCause != null) {
            loseTheRest();
        } else if (role.get() != WRITER) {
            takeRole(submission);
        }
        wire.readUnless(submission.waiter());
        engine.timekeeper().wake();
    }

    private boolean acquire(long cost, Submission submission) {
        if (window.tryAcquire(cost)) {
            return true;
        }
        if (options.overflow() == Overflow.REFUSE) {
            return false;
        }
        // Whoever waits for a place does not read meanwhile.
        wire.readUnless(null);
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

    private void takeRole(Submission submission) {
        Wire current = wire;
        if (!current.callersMayWrite()) {
            wakeWriter();
        } else if (submission.isBatch()) {
            sendIf(FREE);
            sendIf(PROMISED);
        } else if (current.isQuiet()) {
            sendIf(FREE);
        } else if (submission.waiter() != null) {
            sendTogether();
        } else {
            wakeWriter();
        }
    }

    private void wakeWriter() {
        if (role.compareAndSet(FREE, WRITER)) {
            LockSupport.unpark(writer);
        }
    }

    /** Lets others that can run now add theirs, and then sends all of it at once. */
    @SuppressWarnings("ThreadPriorityCheck") // all would be right without; only the batches would be smaller
    private void sendTogether() {
        if (role.compareAndSet(FREE, PROMISED)) {
            Thread.yield();
            sendIf(PROMISED);
        }
    }

    private void sendIf(int expected) {
        if (role.compareAndSet(expected, CALLER)) {
            sendOnce();
        }
    }

    /** As a caller with the role: one batch, one write. Whatever happens, the role does not stay with this thread. */
    private void sendOnce() {
        Wire current = wire;
        boolean broken = true;
        boolean sent = false;
        try {
            fill(current);
            sent = current.unsent() == 0 || (current.sendSome() && current.unsent() == 0);
            broken = false;
        } catch (IOException | RuntimeException e) {
            current.end("writing failed: " + Connector.describe(e));
        } finally {
            if (broken) {
                // Even if there was no memory or stack left to end it: bytes may be there without a slot.
                brokenWire = current;
            }
            leaveRole(sent && current.isOpen());
        }
    }

    private void leaveRole(boolean nothingLeft) {
        role.set(nothingLeft ? FREE : WRITER);
        if (!nothingLeft || (somethingWaits(wire) && role.compareAndSet(FREE, WRITER))) {
            LockSupport.unpark(writer);
        }
    }

    private boolean somethingWaits(Wire current) {
        return !waiting.isEmpty() || !current.isOpen();
    }

    // Sending, with the role.

    /** Encodes what waits, a segment's worth of bytes at a time. */
    private void fill(Wire current) {
        long now = now();
        while (current.unsent() < SegmentChain.SEGMENT_BYTES) {
            Submission submission = waiting.poll();
            if (submission == null) {
                return;
            }
            expireIfOverdue(submission, now);
            append(current, submission);
        }
    }

    private void append(Wire current, Submission submission) {
        boolean appended = false;
        try {
            appended = current.append(submission);
        } catch (Throwable e) {
            submission.endAndAnnounce(new Outcome.Lost(false, "encoding failed: " + Connector.describe(e)), account);
            throw e;
        } finally {
            if (!appended) {
                window.release(submission.cost);
            }
        }
    }

    // The writer.

    private void work() {
        try {
            while (serve()) {
                awaitRole();
            }
        } finally {
            finish();
        }
    }

    /** With the role: sends until nothing waits, then frees the role. Returns false if the connection is to end. */
    private boolean serve() {
        while (true) {
            Wire current = wire;
            if (current.equals(brokenWire)) {
                current.end("whoever sent failed in the middle of it");
            }
            if (!current.isOpen()) {
                if (!replace(current)) {
                    return false;
                }
                continue;
            }
            try {
                sendAll(current);
            } catch (Throwable e) {
                current.end("writing failed: " + Connector.describe(e));
                continue;
            }
            role.set(FREE);
            if (!somethingWaits(current) || !role.compareAndSet(FREE, WRITER)) {
                return true;
            }
        }
    }

    private void sendAll(Wire current) throws IOException {
        for (fill(current); current.unsent() > 0 && current.isOpen(); fill(current)) {
            if (!current.sendSome()) {
                current.awaitWritable();
            }
        }
    }

    private void awaitRole() {
        while (role.get() != WRITER) {
            if (!wire.isOpen() && takeRoleBack()) {
                return;
            }
            LockSupport.park(this);
        }
    }

    /** Takes the role from nobody, or from somebody who has not come back for it. */
    private boolean takeRoleBack() {
        return role.compareAndSet(FREE, WRITER) || role.compareAndSet(PROMISED, WRITER);
    }

    /** Clears up after {@code lost} and connects again; false if that is not to be. */
    private boolean replace(Wire lost) {
        lost.awaitEnd();
        boolean again = kind == ConnectionAccount.Kind.SHARED && !closing;
        Submission.Loss loss = new Submission.Loss(lost.cause(), lost.bytesTaken(), again);
        List<Submission> survivors = new ArrayList<>();
        for (Submission submission : lost.unanswered()) {
            if (submission.lose(loss, account)) {
                survivors.add(submission);
            } else {
                window.release(submission.cost);
                submission.announce();
            }
        }
        waiting.putBack(survivors);
        return again && connectAgain(lost);
    }

    private boolean connectAgain(Wire lost) {
        String cause = lost.cause();
        boolean useful = lost.answeredSomething();
        while (true) {
            Transport transport = reconnector.connect(cause, useful, this::dropEnded);
            if (transport == null) {
                endCause = reconnector.refusal();
                return false;
            }
            try {
                begin(new Wire(this, transport, options.inFlight()));
                return true;
            } catch (Throwable e) {
                // A shortage of threads or memory, which may pass.
                transport.close();
                cause = Connector.describe(e);
                useful = false;
            }
        }
    }

    private void begin(Wire next) {
        next.start();
        wire = next;
        if (closing) {
            // Whoever closes may have ended the wire before this one.
            next.end(CLOSED);
        }
    }

    /** Gives back the places of what has timed out unsent. */
    private void dropEnded() {
        waiting.dropEnded(submission -> window.release(submission.cost));
    }

    private void finish() {
        if (endCause == null) {
            endCause = closing ? CLOSED : wire.isOpen() ? "its writer failed" : wire.cause();
        }
        wire.end(String.valueOf(endCause));
        loseTheRest();
        engine.timekeeper().forget(this);
    }

    /** After the end: of what is still waiting nothing was executed, unless it had been sent over an earlier wire. */
    private void loseTheRest() {
        afterEnd.lock();
        try {
            for (Submission left = waiting.poll(); left != null; left = waiting.poll()) {
                left.endAndAnnounce(new Outcome.Lost(left.sentBefore, String.valueOf(endCause)), account);
                window.release(left.cost);
            }
        } finally {
            afterEnd.unlock();
        }
    }

    // Those who wait.

    /** Reads for {@code submission}, if it is for this thread to do. */
    void readFor(Submission submission) {
        wire.readFor(submission);
    }

    /** Wakes {@code waiter} if it is reading. */
    void wake(Thread waiter) {
        wire.wake(waiter);
    }

    // What the wire needs.

    /** Whether a place in the window is taken. */
    boolean hasInFlight() {
        return window.commandsTaken() > 0;
    }

    /** For assertions: whether somebody has the sending role. */
    boolean somebodySends() {
        int now = role.get();
        return now == CALLER || now == WRITER;
    }

    LongSupplier clock() {
        return engine.clock();
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
        LockSupport.unpark(writer);
    }

    // The timekeeper.

    @Override
    public boolean tick(long now) {
        if (role.compareAndSet(PROMISED, WRITER)) {
            LockSupport.unpark(writer);
        }
        if (wire.callReaderIfUnused()) {
            return true;
        }
        wire.expire(now);
        waiting.forEach(submission -> expireIfOverdue(submission, now));
        // In the order in which a submission goes its way, so that none slips past.
        return !waiting.isEmpty() || role.get() != FREE || !wire.idle() || wire.callerMayRead();
    }

    private void expireIfOverdue(Submission submission, long now) {
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
                reconnector.reconnections());
    }

    boolean isOpen() {
        return endCause == null && wire.isOpen();
    }

    /** Whether nothing is in flight: no place is taken, no reply is owed. */
    boolean isIdle() {
        return wire.idle() && window.commandsTaken() == 0;
    }

    /** What a message about {@code submission}, which is in trouble, should say of this connection. */
    String state(Submission submission) {
        Wire current = wire;
        long taken = current.bytesTaken();
        long end = submission.endPosition;
        String phase = submission.cost == 0
                ? "waiting for a permit"
                : !current.isOpen() ? "not connected" : end == 0 || end > taken ? "buffered" : "sent";
        return "phase=" + phase + ", inFlight=" + window.commandsTaken() + ", limit=" + options.inFlight()
                + ", bytesInFlight=" + window.bytesTaken() + ", waiting=" + window.waiting() + ", lastReadAgo="
                + TimeUnit.NANOSECONDS.toMillis(now() - current.lastReadNanos()) + " ms";
    }

    /** Ends the connection; what has no outcome is lost. Waits until its threads have left. */
    void close() {
        closing = true;
        reconnector.cancel();
        wire.end(CLOSED);
        LockSupport.unpark(writer);
        boolean interrupted = false;
        while (true) {
            try {
                writer.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        wire.awaitEnd();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
