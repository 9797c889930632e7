// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.Outcome;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a {@link SharedConnection}: what waits to be sent, who sends it, and the wire that it goes over, which is
 * replaced when it is lost.
 *
 * <p>DESIGN. A batch is what piled up during the last write; there is no timer. Who adds a submission and finds the
 * {@linkplain SendingRole sending role} free
 *
 * <ul>
 *   <li>takes it and writes, if it is alone or brings a whole batch;
 *   <li>does the same a moment later, if it will wait for the reply but is not alone: it promises to take the role and yields.
 *       Others that can run now add theirs meanwhile, and all go out in one write. A promise binds nobody: the timekeeper gives
 *       the role to the writer if the thread does not come to run again;
 *   <li>gives it to the writer otherwise, which sends while the caller goes on.
 * </ul>
 *
 * <p>The writer has the role, too, while there is no wire: it connects again, and what waits meanwhile waits in line. So
 * whoever gets the free role finds a wire. When it loses a wire it puts what may be sent again back in front of the line,
 * and ends the rest as lost.
 */
final class Sender {

    private static final String CLOSED = "closed by this client";

    /** A caller writes for others this often; then it is the writer's turn. */
    private static final int MOST_WRITES = 4;

    private final SharedConnection connection;
    private final ClientOptions options;
    private final boolean reconnects;
    private final Reconnector reconnector;
    private final WaitingLine waiting = new WaitingLine();
    private final Thread writer;
    private final SendingRole role;

    /** Written by the writer while it has the role. */
    private volatile Wire wire;

    /** A wire that somebody with the role left in the middle of something; the writer ends it. */
    private volatile @Nullable Wire brokenWire;

    /** What was taken from the line and has no slot yet. Owned by whoever has the role. */
    private @Nullable Submission inHand;

    /** Set once, by {@link #close}. */
    private volatile boolean closing;

    /** Why nothing can be sent any more; written by the writer when it ends. */
    private volatile @Nullable String endCause;

    /** Held by whoever empties the line after the end, when there is no role any more. */
    private final ReentrantLock afterEnd = new ReentrantLock();

    /**
     * Sends over {@code first}, once started.
     *
     * @param reconnects whether a lost wire is replaced
     */
    Sender(SharedConnection connection, Link first, Reconnector reconnector, boolean reconnects) {
        this.connection = connection;
        this.options = connection.options();
        this.reconnects = reconnects;
        this.reconnector = reconnector;
        this.wire = new Wire(connection, first, options.inFlight());
        this.writer = Thread.ofPlatform()
                .name("millrace-writer-" + connection.name())
                .daemon()
                .unstarted(this::work);
        this.role = new SendingRole(writer);
    }

    /** Starts the threads. If that fails the wire is ended. */
    void start() {
        boolean started = false;
        try {
            wire.start();
            writer.start();
            started = true;
        } finally {
            if (!started) {
                wire.end("its threads could not be started");
            }
        }
    }

    // Callers.

    /** Sends {@code submission}, or has it sent. */
    void add(Submission submission) {
        waiting.add(submission);
        if (endCause != null) {
            loseTheRest();
        } else {
            send(submission);
        }
    }

    private void send(Submission submission) {
        Wire current = wire;
        if (!current.callersMayWrite()) {
            role.callWriter();
        } else if (submission.isBatch()) {
            if (role.take() || role.takePromised()) {
                sendSome();
            }
        } else if (current.isQuiet()) {
            if (role.take()) {
                sendSome();
            }
        } else if (submission.waiter() != null) {
            sendTogether();
        } else {
            role.callWriter();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // all would be right without; only the batches would be smaller
    private void sendTogether() {
        if (role.promise()) {
            connection.wakeTimekeeper();
            Thread.yield();
            if (role.takePromised()) {
                sendSome();
            }
        }
    }

    /** As a caller with the role: writes what is there. Whatever fails, the role does not stay with this thread. */
    private void sendSome() {
        Wire current = wire;
        boolean broken = true;
        boolean allSent = false;
        try {
            int writes = 0;
            do {
                fill(current);
                allSent = sendWithoutWaiting(current);
            } while (allSent && ++writes < MOST_WRITES && !waiting.isEmpty());
            broken = false;
        } catch (IOException | RuntimeException e) {
            current.end("writing failed: " + Connector.describe(e));
        } finally {
            if (broken) {
                // Even if there was no memory or stack left to end it: bytes may be there without a slot.
                brokenWire = current;
            }
            leaveRole(allSent && !broken && current.isOpen());
        }
    }

    /** Sends what is encoded, as far as the operating system takes it now; whether that was all. */
    private static boolean sendWithoutWaiting(Wire current) throws IOException {
        while (current.unsent() > 0) {
            if (!current.sendSome()) {
                return false;
            }
        }
        return true;
    }

    private void leaveRole(boolean nothingLeft) {
        if (!nothingLeft) {
            role.handOver();
            return;
        }
        role.leave();
        if (somethingWaits(wire)) {
            role.callWriter();
        }
    }

    private boolean somethingWaits(Wire current) {
        return !waiting.isEmpty() || !current.isOpen();
    }

    // With the role.

    /** Encodes what waits, a segment's worth of bytes at a time. */
    private void fill(Wire current) {
        long now = connection.now();
        while (current.unsent() < SegmentChain.SEGMENT_BYTES) {
            Submission submission = waiting.poll();
            if (submission == null) {
                break;
            }
            inHand = submission;
            connection.expireIfOverdue(submission, now);
            boolean appended = current.append(submission);
            inHand = null;
            if (!appended) {
                connection.release(submission.cost);
            }
        }
        current.publish();
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
            role.leave();
            if (!somethingWaits(current) || !role.takeBack()) {
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
        while (!role.isWriters()) {
            if (!wire.isOpen() && role.takeBack()) {
                return;
            }
            LockSupport.park(this);
        }
    }

    /** Clears up after {@code lost} and connects again; false if that is not to be. */
    private boolean replace(Wire lost) {
        lost.awaitEnd();
        boolean again = reconnects && !closing;
        Submission.Loss loss = new Submission.Loss(lost.cause(), lost.bytesTaken(), again);
        Submission unsent = inHand;
        if (unsent != null) {
            endInHand(new Outcome.Lost(unsent.sentBefore, loss.cause()));
        }
        lost.takeUnanswered(submission -> {
            if (!submission.lose(loss, connection.counters())) {
                end(submission);
                return true;
            }
            return false;
        });
        lost.takeUnansweredFromLast(waiting::putBack);
        return again && connectAgain(lost);
    }

    private void endInHand(Outcome.Lost outcome) {
        Submission submission = inHand;
        if (submission != null) {
            inHand = null;
            submission.end(outcome, connection.counters());
            end(submission);
        }
    }

    /** Of what has its outcome: gives back the place, and tells whoever waits. */
    private void end(Submission submission) {
        connection.release(submission.cost);
        submission.announce();
    }

    private boolean connectAgain(Wire lost) {
        String cause = lost.cause();
        boolean useful = lost.answeredSomething();
        while (true) {
            Link link = reconnector.connect(cause, useful, this::dropEnded);
            if (link == null) {
                endCause = reconnector.refusal();
                return false;
            }
            try {
                begin(new Wire(connection, link, options.inFlight()));
                return true;
            } catch (Throwable e) {
                // A shortage of threads or memory, which may pass.
                link.transport().close();
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
        waiting.dropEnded(submission -> connection.release(submission.cost));
    }

    private void finish() {
        if (endCause == null) {
            endCause = closing ? CLOSED : wire.isOpen() ? "its writer failed" : wire.cause();
        }
        String cause = String.valueOf(endCause);
        wire.end(cause);
        wire.awaitEnd();
        // Usually there is nothing left by now; a failure of the writer, such as a lack of memory, may have left
        // something.
        Outcome.Lost unknown = new Outcome.Lost(true, cause);
        endInHand(unknown);
        wire.takeUnanswered(submission -> {
            submission.end(unknown, connection.counters());
            end(submission);
            return true;
        });
        loseTheRest();
        connection.ended();
    }

    /** After the end: of what is still waiting nothing was executed, unless it had been sent over an earlier wire. */
    private void loseTheRest() {
        String cause = String.valueOf(endCause);
        Outcome.Lost neverSent = new Outcome.Lost(false, cause);
        Outcome.Lost sentBefore = new Outcome.Lost(true, cause);
        afterEnd.lock();
        try {
            for (Submission left = waiting.poll(); left != null; left = waiting.poll()) {
                left.endAndAnnounce(left.sentBefore ? sentBefore : neverSent, connection.counters());
                connection.release(left.cost);
            }
        } finally {
            afterEnd.unlock();
        }
    }

    // Any thread.

    /** The wire of the moment; it may have ended. */
    Wire wire() {
        return wire;
    }

    /** Why nothing can be sent any more; null while something can. */
    @Nullable
    String endCause() {
        return endCause;
    }

    /** For assertions: whether somebody has the sending role. */
    boolean somebodySends() {
        return role.isTaken();
    }

    /** The timekeeper: ends what is overdue among what waits. Returns whether anything waits or is being sent. */
    boolean tick(long now) {
        role.breakPromise();
        waiting.forEach(submission -> connection.expireIfOverdue(submission, now));
        // In the order in which a submission goes its way, so that none slips past.
        return !waiting.isEmpty() || !role.isFree();
    }

    /** The wire has ended: the writer is needed. */
    void wireEnded() {
        LockSupport.unpark(writer);
    }

    /** Ends the wire for good; what has no outcome is lost. Waits until the threads have left. */
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
