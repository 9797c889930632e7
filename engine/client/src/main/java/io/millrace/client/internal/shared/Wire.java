// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.FusionOff;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Transport;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.Connection;
import io.millrace.client.internal.io.ReadingRole;
import io.millrace.client.internal.io.ReplySink;
import io.millrace.client.internal.io.SegmentChain;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection of a {@link SharedConnection}, from its handshake to its end, with the submissions on the
 * wire in order.
 *
 * <pre>
 *   sender: append() -> encoded bytes -> transport
 *   SubmissionRing:  ... | answered | owed | owed | owed | free ...
 *   reader: reply() <- transport
 * </pre>
 *
 * <p>DESIGN. The n-th reply belongs to the n-th command; the ring matches replies with commands in this way. A
 * submission that times out keeps its slot until its replies arrive, or until the end of the wire.
 *
 * <p>Only the thread with the sending role uses the methods and fields of the sender. Only the thread with the
 * {@linkplain ReadingRole reading role} uses the methods and fields of the reader. After {@link #awaitEnd}, the sender
 * also uses the methods and fields of the reader.
 */
final class Wire implements ReplySink {

    private final SharedConnection owner;
    private final Transport transport;
    private final RedisUri.@Nullable Tcp address;
    private final Connection connection;
    private final SegmentChain chain;
    private final CommandWriter writer;
    private final FusibleKinds kinds;
    private final SubmissionRing ring;
    private final WireLogin login;
    private final Liveness liveness;
    private final WireReplies replies;

    // Owned by the reader.

    /** Whether the reply to the oldest unanswered command on the wire could not be read. */
    private boolean isReplyUnreadable;

    /** Index of the element of this reply that could not be read; -1 if the reply is not an aggregate. */
    private int unreadableElement;

    Wire(SharedConnection owner, HandshakeResult handshakeResult) {
        this.owner = owner;
        this.transport = handshakeResult.transport();
        this.address = handshakeResult.address();
        this.kinds = owner.fusibleKinds(handshakeResult);
        this.chain = new SegmentChain(owner.clock());
        this.writer = new CommandWriter(chain, kinds, owner);
        this.ring = new SubmissionRing(owner.mostSubmissions());
        this.login = new WireLogin(owner, handshakeResult.loginVersion());
        this.replies = new WireReplies(owner, ring, writer.fusedCommands(), kinds, this::end);
        this.connection = new Connection(transport, this, owner.options().replyLimits(), owner.clock());
        this.liveness = new Liveness(owner, connection, ring);
    }

    void start() {
        connection.startReader();
    }

    // Called by any thread.

    boolean isOpen() {
        return connection.isOpen();
    }

    void end(String cause) {
        connection.end(cause);
    }

    /** The address that a Sentinel has named; null without Sentinels. */
    RedisUri.@Nullable Tcp address() {
        return address;
    }

    /** Whether no reply is owed. */
    boolean isIdle() {
        return ring.isIdle();
    }

    /** Whether no reply is owed, and the last replies were for a single submission. */
    boolean isQuiet() {
        return !replies.servedSeveral() && isIdle();
    }

    WireLogin login() {
        return login;
    }

    Liveness liveness() {
        return liveness;
    }

    /** Number of encoded bytes that the transport has not accepted yet. */
    long unsent() {
        return chain.published() - chain.taken();
    }

    long bytesTaken() {
        return chain.taken();
    }

    long lastReadNanos() {
        return connection.lastReadNanos();
    }

    boolean callersMayWrite() {
        return transport.isNonBlocking();
    }

    /** Returns the requested kinds of fusion that are off, with the reasons. */
    List<FusionOff> fusionOff() {
        return kinds.off();
    }

    // Called by callers that wait or submit.

    /**
     * If this thread is the lone caller, reads until {@code submission} has its outcome. Otherwise ensures that the
     * reader thread reads.
     */
    void readFor(Submission submission) {
        ReadingRole reading = connection.reading();
        if (!reading.take()) {
            reading.giveToReaderIfFree();
            return;
        }
        try {
            while (!submission.isDecided()
                    && !submission.isPaused()
                    && submission.isOn(owner)
                    && isOpen()
                    && !Thread.currentThread().isInterrupted()) {
                connection.readOnce();
            }
        } finally {
            connection.yieldReading();
        }
    }

    /**
     * Ensures that the reader thread reads replies, unless the thread {@code waiter} is expected to read its own reply.
     */
    void ensureReaderUnless(@Nullable Thread waiter) {
        ReadingRole reading = connection.reading();
        if (!reading.isLoneCaller(waiter)) {
            reading.giveToReaderIfFree();
        }
    }

    /** Wakes {@code waiter} if it is reading. */
    void wake(Thread waiter) {
        connection.wakeReadingCaller(waiter);
    }

    // Called by the sender.

    /**
     * Encodes {@code submission} and gives it a slot. Returns false, and does neither, if all its commands already have
     * outcomes.
     */
    boolean append(Submission submission) {
        assert owner.isRoleTaken() : "a thread wrote to the connection but does not hold the sending role";
        if (!submission.encode(writer)) {
            return false;
        }
        ring.append(submission);
        return true;
    }

    /** Encodes {@code call}, a command of the client itself, and gives it a slot. */
    void appendOwn(Submission call) {
        append(call);
        ensureReaderUnless(null);
        owner.wakeTimekeeper();
    }

    /** Publishes all appended submissions, so that they can be sent. */
    void publish() {
        writer.close();
    }

    /** Writes once. Returns false if the operating system accepts no bytes now. */
    boolean sendSome() throws IOException {
        assert owner.isRoleTaken() : "a thread wrote to the connection but does not hold the sending role";
        FlightRecorderEvents.Batch event = FlightRecorderEvents.beginBatch();
        int taken = chain.sendSome(transport);
        if (event != null) {
            event.written(owner.name(), taken, ring.owed());
        }
        return taken > 0;
    }

    void awaitWritable() throws IOException {
        transport.awaitWritable();
    }

    /** Waits until the reader has stopped, so that no reply can arrive any more. */
    void awaitEnd() {
        connection.awaitEnd();
    }

    /** After {@link #awaitEnd}: returns why the wire has ended. */
    String cause() {
        return connection.cause();
    }

    /**
     * After {@link #awaitEnd}: returns the loss of this wire. Must be called only once.
     *
     * @param reconnects whether there will be another wire
     */
    Loss loss(boolean reconnects) {
        if (!isReplyUnreadable) {
            return new Loss(cause(), bytesTaken(), reconnects, 0, 0);
        }
        FusedCommand fusedCommand = writer.fusedCommands().take(replies.taken());
        int commands = fusedCommand == null ? 1 : fusedCommand.commands();
        int only = fusedCommand == null ? 0 : fusedCommand.commandOfElement(unreadableElement);
        return only >= 0
                ? new Loss(cause(), bytesTaken(), reconnects, only, only + 1)
                : new Loss(cause(), bytesTaken(), reconnects, 0, commands);
    }

    /** After {@link #awaitEnd}: returns the unanswered submissions. */
    SubmissionRing unanswered() {
        return ring;
    }

    // Called by the reader.

    @Override
    public boolean reply(Reply reply) {
        assert connection.reading().isHeldByCurrentThread()
                : "a thread delivered a reply without holding the reading role";
        return replies.deliver(reply);
    }

    @Override
    public boolean batchEnd() {
        replies.publish(connection.lastReadNanos(), transport.isNonBlocking() ? connection.reading() : null);
        return false;
    }

    @Override
    public void unreadable(int element) {
        isReplyUnreadable = true;
        unreadableElement = element;
    }

    @Override
    public boolean expectsReplies() {
        return owner.hasCommandsInFlight() || login.isPending() || liveness.isPinging();
    }

    @Override
    public void readingLeftToCaller() {
        owner.wakeTimekeeper();
    }

    @Override
    public void push(Reply.Push push) {
        owner.push(push);
    }

    @Override
    public void ended(String cause) {
        try {
            batchEnd();
        } finally {
            owner.wireEnded();
        }
    }

    // Called by the timekeeper.

    /**
     * Gives the reading role to the reader if the lone caller does not use it.
     *
     * @return whether there may be unread replies, so that it is too early to expire commands
     */
    boolean ensureReaderIfUnused() {
        ReadingRole reading = connection.reading();
        boolean unused = reading.unusedSinceLastCheck();
        boolean unread = reading.isFree() && !isIdle();
        if (unused || unread) {
            reading.giveToReaderIfFree();
        }
        return unread;
    }

    boolean callerMayRead() {
        return connection.reading().isFree();
    }

    /** Ends overdue submissions. Also ends the wire if the server does not reply any more. */
    void expire(long now) {
        ring.forEachOverdue(now, owner.timeouts()::expire);
        liveness.check(now);
    }
}
