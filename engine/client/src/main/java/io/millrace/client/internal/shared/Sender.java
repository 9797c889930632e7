// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Reconnector;
import io.millrace.client.internal.thread.ClientThreads;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a {@link SharedConnection}. Owns the waiting submissions, the writer thread and the current wire.
 * A lost wire is replaced by a new wire.
 *
 * <p>DESIGN. The submissions that are added during one write are sent together by the next write. No timer delays a
 * write. If a caller adds a submission while the {@linkplain SendingRole sending role} is free, the first case that
 * matches applies:
 *
 * <ul>
 *   <li>The transport is blocking, as with TLS. The caller gives the role to the writer thread.
 *   <li>There are no other callers, or the submission is a whole batch. The caller takes the role and writes.
 *   <li>There are other callers, and this caller will wait for the reply. The caller promises to take the role and
 *       yields the processor. Other runnable threads can then add their submissions, and one write sends all
 *       submissions. If the caller is not scheduled again soon, the timekeeper gives the role to the writer.
 *   <li>There are other callers, and this caller will not wait. The caller gives the role to the writer thread, which
 *       sends while the caller continues.
 * </ul>
 *
 * <p>The writer also holds the role while there is no wire: it reconnects, and submissions wait in the queue. So a
 * thread that takes the free role always finds a wire. When a wire is lost, the writer puts submissions that may be
 * sent again at the front of the queue, and ends the other submissions as lost.
 */
final class Sender {

    private static final String CLOSED = "closed by this client";

    /** Maximum number of consecutive writes by one caller; the writer sends the remaining submissions. */
    private static final int MAX_WRITES = 4;

    private final SharedConnection connection;
    private final boolean reconnects;
    private final Reconnector reconnector;
    private final SendQueue waiting = new SendQueue();
    private final WireAppender appender;
    private final LostSubmissions lostSubmissions;
    private final WireReplacement replacement;
    private final Thread writer;
    private final SendingRole role;

    /** Written by the writer while it has the role. */
    private volatile Wire wire;

    /**
     * The wire over which a thread was sending when the thread failed; null if there is none. The writer ends this
     * wire.
     */
    private volatile @Nullable Wire brokenWire;

    /** Set to true by {@link #close}; never reset. */
    private volatile boolean closing;

    /** Why nothing can be sent any more; null while sending is possible. Written by the writer when it stops. */
    private volatile @Nullable String endCause;

    /**
     * Creates a sender that sends over {@code first}. It sends nothing before {@link #start}.
     *
     * @param reconnects whether a lost wire is replaced
     */
    Sender(SharedConnection connection, HandshakeResult first, Reconnector reconnector, boolean reconnects) {
        this.connection = connection;
        this.reconnects = reconnects;
        this.reconnector = reconnector;
        this.appender = new WireAppender(connection, waiting);
        this.lostSubmissions = new LostSubmissions(connection, waiting);
        this.replacement = new WireReplacement(connection, reconnector, appender, lostSubmissions);
        this.wire = new Wire(connection, first);
        if (!first.isConnected()) {
            wire.end(HandshakeResult.NOT_CONNECTED);
        }
        this.writer = ClientThreads.platform("millrace-writer-" + connection.name(), this::work);
        this.role = new SendingRole(writer);
    }

    /** Starts the threads. If a thread cannot be started, the wire ends. */
    void start() {
        boolean started = false;
        try {
            wire.start();
            writer.start();
            started = true;
        } finally {
            if (!started) {
                wire.end("the threads of the connection could not be started");
            }
        }
    }

    // Called by the threads that submit.

    /** Sends {@code submission}, or leaves it to another thread to send. */
    void add(Submission submission) {
        waiting.add(submission);
        String ended = endCause;
        if (ended != null) {
            lostSubmissions.loseWaiting(ended);
        } else {
            send(submission);
        }
    }

    /**
     * Leaves {@code submission} to the writer, after the server has temporarily refused an earlier attempt. Called by
     * the thread that has taken the submission from the {@link RetryQueue}; does not block.
     */
    void addAgain(Submission submission) {
        waiting.addAgain(submission);
        String ended = endCause;
        if (ended != null) {
            lostSubmissions.loseWaiting(ended);
        } else {
            role.giveToWriterIfFree();
        }
    }

    private void send(Submission submission) {
        Wire current = wire;
        if (!current.callersMayWrite()) {
            role.giveToWriterIfFree();
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
            role.giveToWriterIfFree();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // correct without yield(), but with smaller batches
    private void sendTogether() {
        if (role.promise()) {
            connection.wakeTimekeeper();
            Thread.yield();
            if (role.takePromised()) {
                sendSome();
            }
        }
    }

    /**
     * Writes the waiting submissions. Called by a caller that holds the sending role. The role is released even after a
     * failure.
     */
    private void sendSome() {
        Wire current = wire;
        boolean broken = true;
        boolean allSent = false;
        try {
            int writes = 0;
            do {
                appender.fill(current);
                allSent = sendWithoutWaiting(current);
            } while (allSent && ++writes < MAX_WRITES && !waiting.isEmpty());
            broken = false;
        } catch (IOException | RuntimeException e) {
            current.end("writing failed: " + Connector.describe(e));
        } finally {
            if (broken) {
                // Bytes of a submission without a slot may have been encoded for this wire, so the wire must end. A
                // lack of memory or stack may have prevented the call of end(). So the writer ends this wire.
                brokenWire = current;
            }
            leaveRole(allSent && !broken && current.isOpen());
        }
    }

    /** Sends as many bytes as the operating system accepts now; returns whether all encoded bytes are sent. */
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
            role.giveToWriter();
            return;
        }
        role.free();
        if (hasWork(wire)) {
            role.giveToWriterIfFree();
        }
    }

    private boolean hasWork(Wire current) {
        return replacement.hasSuccessor() || appender.hasWork(current);
    }

    // Called by the writer.

    private void work() {
        try {
            while (serve()) {
                awaitRole();
            }
        } finally {
            finish();
        }
    }

    /**
     * Called by the writer, which has the role. Sends until no submission waits, then frees the role. Returns false if
     * the connection must end.
     */
    private boolean serve() {
        while (true) {
            Wire current = wire;
            if (current.equals(brokenWire)) {
                current.end("a thread failed while it was sending");
            }
            if (replacement.hasSuccessor() && current.isOpen()) {
                replacement.drain(current, () -> closing);
                current.end("the connection continues with a primary at another address");
            }
            if (!current.isOpen()) {
                if (!replacement.replace(current, reconnects && !closing, this::begin)) {
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
            role.free();
            if (!hasWork(current) || !role.takeForWriter()) {
                return true;
            }
        }
    }

    private void sendAll(Wire current) throws IOException {
        for (appender.fill(current); current.unsent() > 0 && current.isOpen(); appender.fill(current)) {
            if (!current.sendSome()) {
                current.awaitWritable();
            }
        }
    }

    private void awaitRole() {
        while (!role.isHeldByWriter()) {
            if (!wire.isOpen() && role.takeForWriter()) {
                return;
            }
            LockSupport.park(this);
        }
    }

    private void begin(Wire next) {
        next.start();
        wire = next;
        if (closing) {
            // The closing thread may have ended the previous wire instead of the new wire.
            next.end(CLOSED);
        }
    }

    private void finish() {
        if (endCause == null) {
            endCause = closing && !isRetired() ? CLOSED : wire.isOpen() ? "the writer thread failed" : wire.cause();
        }
        replacement.closeSuccessor();
        String cause = String.valueOf(endCause);
        wire.end(cause);
        wire.awaitEnd();
        // Usually no submission is left here. After a failure of the writer, such as a lack of memory, some may be
        // left.
        Submission unappended = appender.takeUnappended();
        if (unappended != null) {
            lostSubmissions.lose(unappended, new Outcome.Lost(true, cause));
        }
        lostSubmissions.loseUnanswered(wire, cause);
        lostSubmissions.loseWaiting(cause);
        connection.ended();
    }

    // Called by any thread.

    /** Returns the current wire, which may have ended. */
    Wire wire() {
        return wire;
    }

    /**
     * Returns why a new submission is lost at once: the connection has ended, or the login of the next wire was refused.
     * Returns null if a submission is sent now or waits for the next wire.
     */
    @Nullable
    String obstacle() {
        String ended = endCause;
        return ended == null ? reconnector.refusal() : ended;
    }

    /** For assertions: returns whether a thread holds the sending role. */
    boolean isRoleTaken() {
        return role.isTaken();
    }

    /** Timekeeper: ends waiting submissions that are overdue. Returns whether any submission waits or is being sent. */
    boolean tick(long now) {
        role.giveToWriterIfPromised();
        waiting.forEach(submission -> connection.timeouts().expireIfOverdue(submission, now));
        // Check the queue before the sending role. The thread that takes a submission from the queue already has the
        // role. So one of the two checks finds the submission.
        return !waiting.isEmpty() || !role.isFree();
    }

    /**
     * Lets the writer log in again over the current wire. If another thread has the role, that thread finds the renewed
     * login when it frees the role. Without a wire, the next attempt to connect starts at once.
     */
    void loginChanged() {
        reconnector.loginChanged();
        role.giveToWriterIfFree();
    }

    /** Lets the writer send the submissions that waited for the reply to a {@code PING}. */
    void sendHeldBack() {
        role.giveToWriterIfFree();
    }

    /** Any thread: continues with {@code next} after the replies to all sent commands have arrived. */
    void continueWith(HandshakeResult next) {
        replacement.offer(next);
        if (endCause == null) {
            role.giveToWriterIfFree();
        } else {
            replacement.closeSuccessor();
        }
    }

    /** Any thread: ends the connection. Submissions that may be sent again go to other nodes. Does not wait. */
    void retire(String cause) {
        lostSubmissions.reroute();
        closing = true;
        reconnector.cancel();
        wire.end(cause);
        LockSupport.unpark(writer);
    }

    /** Any thread: whether the node of this connection has left the cluster. */
    boolean isRetired() {
        return lostSubmissions.reroutes();
    }

    /** Called when the wire has ended: wakes the writer. */
    void wireEnded() {
        LockSupport.unpark(writer);
    }

    /**
     * Closes the connection permanently; submissions without an outcome are lost. Waits until the threads have stopped.
     */
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
