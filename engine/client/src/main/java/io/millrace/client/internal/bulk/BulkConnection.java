// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionStats;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.ReplyLimits;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.Connection;
import io.millrace.client.internal.io.Outbox;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.function.Consumer;

/**
 * A connection for bulk work. One thread, the owner, submits commands as fast as the server can execute them.
 *
 * <p>DESIGN. Each command on the wire has a slot of the ring. The reader stores the reply to a command in the slot and
 * continues. The owner collects the outcomes from the slots, in the order of submission, and calls the listener. It
 * does so after each batch that it sends, and before each wait. The owner also splits the replies to fused commands.
 * This design has three advantages:
 *
 * <ul>
 *   <li>outcomes need no separate queue;
 *   <li>the reader runs no user code;
 *   <li>the size of the ring limits the memory.
 * </ul>
 *
 * <pre>
 *   reported <= ... <= written    outcome not yet reported to the listener
 *   replied  <= ... <= written    on the wire: a reply is still owed
 *      |                ^ the owner's commands are appended here, alone or fused
 *      ^ reader is here           a slot is free when both counts have passed it
 * </pre>
 *
 * <p>The counts {@code reported} and {@code replied} are independent: a command that times out is reported before its
 * reply arrives, and keeps its slot until then. {@link BulkProgress} lists all counts and their units.
 *
 * <pre>
 *   owner -> BulkWindow (permits) -> BulkOutput (fuses, encodes, fills slots) -> Outbox -> writer thread
 *   owner <- BulkCollector <- BulkOutcomes <------- BulkRing <------- BulkReplies <- reader thread
 *                  timeouts by BulkDeadlines, on the owner's thread
 * </pre>
 *
 * <p>The owner waits in two cases only: if no permit is free, and in {@link #finish}. The timekeeper closes a fused
 * batch that the owner leaves open, and ends the connection if the server hangs.
 */
public final class BulkConnection implements BulkWriter, Timekeeper.Ticking, StatsRegistry.StatsSource {

    /** Name of every bulk connection in stats and events. */
    public static final String NAME = "bulk";

    private final Connection connection;
    private final FusibleKinds kinds;
    private final Timekeeper timekeeper;
    private final Consumer<BulkConnection> whenClosed;
    private final BulkRing ring;
    private final BulkProgress progress = new BulkProgress();
    private final BulkBatch batch = new BulkBatch(progress);
    private final StatsCounter stats = new StatsCounter(progress::submitted);
    private final BulkDeadlines deadlines;
    private final BulkMarks marks;
    private final BulkOutcomes outcomes;
    private final BulkOutput output;
    private final Outbox outbox;
    private final BulkReplies replies;
    private final BulkWindow window;
    private final BulkCollector collector;
    private final BulkTimeouts timeouts;
    private final BulkPause pause;
    private final BulkLogin login;
    private final BulkResend resend;

    // Used only by the owner.

    /** Spec of the command between begin() and end(); otherwise {@link BulkOutput#NO_COMMAND}. */
    private CommandSpec<?> command = BulkOutput.NO_COMMAND;

    /** If {@code listener} is a {@link io.millrace.client.ReplicationListener.ServerListener}, this connection sends marks. */
    public BulkConnection(
            HandshakeResult handshakeResult,
            Login login,
            String endpoint,
            FusibleKinds kinds,
            Timekeeper timekeeper,
            ReplyLimits limits,
            BulkOptions options,
            BulkListener listener,
            Consumer<BulkConnection> whenClosed) {
        this.kinds = kinds;
        this.whenClosed = whenClosed;
        this.timekeeper = timekeeper;
        int slots = BulkWindow.slots(options.inFlight());
        this.ring = new BulkRing(slots);
        this.deadlines = new BulkDeadlines(timekeeper.clock(), options.timeout().toNanos());
        this.marks = new BulkMarks(listener, progress);
        this.outcomes =
                new BulkOutcomes(ring, slots, listener, stats, deadlines, marks, this::timedOut, this::loginAnswered);
        this.output = new BulkOutput(ring, progress, deadlines, kinds, stats, timekeeper.clock(), this::endConnection);
        this.outbox = output.outbox();
        this.replies =
                new BulkReplies(ring, kinds, stats, progress, timekeeper.clock(), outbox::taken, this::endConnection);
        this.window = new BulkWindow(options, ring, progress, replies, outcomes, deadlines);
        this.collector = new BulkCollector(ring, progress, output, replies, outcomes, deadlines);
        this.pause = new BulkPause(output, outcomes, replies, progress, deadlines);
        this.login = new BulkLogin(login, handshakeResult.loginVersion(), output, replies, progress);
        this.resend = newResend();
        this.connection = new Connection(handshakeResult.transport(), replies, limits, timekeeper.clock());
        this.timeouts = new BulkTimeouts(
                endpoint, options.inFlight(), progress, replies, window, deadlines, outbox, connection);
        start();
        if (marks.areWanted()) {
            sendMark();
        }
    }

    private BulkResend newResend() {
        return new BulkResend(
                this,
                output,
                window,
                deadlines,
                progress,
                outcomes,
                collector,
                marks,
                stats,
                this::pauseIfRefused,
                this::submitted,
                this::afterSubmission);
    }

    /** Starts the threads. If a thread cannot be started, the transport is closed, and nothing refers to this object. */
    private void start() {
        timekeeper.watch(this);
        boolean started = false;
        try {
            connection.start(outbox);
            started = true;
        } finally {
            if (!started) {
                timekeeper.forget(this);
            }
        }
    }

    // Commands, called by the owner.

    @Override
    public BulkWriter begin(CommandSpec<?> newCommand) {
        outcomes.checkNotInListener();
        pauseIfRefused();
        command = newCommand;
        output.begin(newCommand);
        return this;
    }

    @Override
    public BulkWriter arg(byte[] bytes, int offset, int length) {
        output.arg(bytes, offset, length);
        return this;
    }

    @Override
    public BulkWriter arg(String text) {
        output.arg(text);
        return this;
    }

    @Override
    public BulkWriter arg(long number) {
        output.arg(number);
        return this;
    }

    @Override
    public void end(long tag) {
        CommandSpec<?> ended = command;
        if (ended == BulkOutput.NO_COMMAND) {
            throw new IllegalStateException("end() was called without begin()");
        }
        command = BulkOutput.NO_COMMAND;
        submit(ended, output.end(), tag);
    }

    /** Submits a command that is encoded already. Replaces {@link #begin}, {@code arg} and {@link #end}. */
    public void submit(CommandSpec<?> encodedCommand, byte[] bytes, int offset, int length, long tag) {
        outcomes.checkNotInListener();
        pauseIfRefused();
        submit(encodedCommand, output.encoded(encodedCommand, bytes, offset, length), tag);
    }

    private void submit(CommandSpec<?> ended, int length, long tag) {
        if (window.hasPermitsFor(length)) {
            submitted(tag);
            output.submit();
        } else if (awaitPermitsFor(length)) {
            submitted(tag);
            output.submitAfterWait();
        } else {
            collector.reportNotSent(tag, ended);
            return;
        }
        afterSubmission();
    }

    private void afterSubmission() {
        if (batch.isFull()) {
            flush();
            collector.collect();
        } else {
            markIfDue(output.lastWriteNanos());
            collector.collectIfDue();
        }
        if (login.isDue()) {
            login.renew(this::finish);
        }
    }

    private void loginAnswered(Reply reply) {
        login.answered(reply);
    }

    private void markIfDue(long nanos) {
        if (marks.isDue(nanos) && command == BulkOutput.NO_COMMAND && window.hasSlot()) {
            sendMark();
        }
    }

    private void sendMark() {
        output.mark();
        marks.sent(deadlines.now());
    }

    private void submitted(long tag) {
        long number = progress.submittedByOwner();
        outcomes.tag(number, tag);
        progress.submit(number);
    }

    /**
     * Waits for permits. If the command does not obtain permits, or if the listener throws, the command is withdrawn.
     */
    private boolean awaitPermitsFor(int length) {
        long start = deadlines.now();
        long deadline = deadlines.after(start);
        output.startWaiting(deadline);
        boolean acquired = false;
        try {
            // A mark would take the place of the command that waits.
            sendBatch();
            collector.collect();
            acquired = window.await(length, 0, deadline, collector);
            if (!acquired && replies.ending() == null && deadlines.hasPassed(deadline)) {
                timeouts.reportNoPermit(output.spec());
            }
            return acquired;
        } catch (Throwable e) {
            // The listener threw an exception for an earlier command, while the current command waited for permits. So
            // the listener is not called for the current command, but the stats count it as refused.
            outcomes.countNotSent(new Outcome.Refused());
            throw e;
        } finally {
            if (!acquired) {
                output.withdrawAfterWait();
            }
            window.recordWait(start);
        }
    }

    private void pauseIfRefused() {
        if (outcomes.isRefused()) {
            pause.await(this::finish);
        }
    }

    /** For an owner of several connections: flushes larger batches, because idle writers cost more wake-ups. */
    public void batchBytes(int bytes) {
        batch.bytes(bytes);
    }

    /** For an owner of several connections. */
    public BulkResend resend() {
        return resend;
    }

    private void timedOut(CommandSpec<?> spec, int commands, long position) {
        timeouts.report(spec, commands, position);
    }

    @Override
    public void flush() {
        output.closeBatch();
        markIfDue(output.lastWriteNanos());
        sendBatch();
    }

    private void sendBatch() {
        output.closeBatch();
        long submitted = batch.flushed();
        outbox.request();
        window.recordInFlight(submitted);
    }

    @Override
    public void finish() {
        outcomes.checkNotInListener();
        flush();
        collector.collectAll();
        if (marks.areAwaited()) {
            flush();
            collector.collectAll();
        }
    }

    // Closing.

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public void abort() {
        endConnection("aborted by this client");
    }

    private void endConnection(String cause) {
        connection.end(cause);
    }

    @Override
    public void close() {
        outcomes.checkNotInListener();
        boolean lost = !connection.isOpen();
        connection.end("closed by this client");
        connection.awaitEnd();
        timekeeper.forget(this);
        try {
            collector.collectRest();
        } finally {
            whenClosed.accept(this);
            marks.closed(lost);
        }
    }

    @Override
    public CommandCounts counts() {
        return stats.counts();
    }

    @Override
    public FusionCounts fusion() {
        return stats.fusion();
    }

    @Override
    public ConnectionStats stats() {
        return new ConnectionStats(
                NAME,
                ConnectionStats.Kind.BULK,
                connection.isOpen(),
                stats.counts(),
                (int) window.inFlight(),
                outbox.taken() - replies.repliedPosition(),
                stats.lateReplies(),
                0,
                0,
                stats.fusion(),
                kinds.off());
    }

    @Override
    public Traffic traffic() {
        return new Traffic(outbox.taken(), window.peakInFlight(), window.waitNanos(), outbox.socketNanos());
    }

    // Called by the timekeeper.

    @Override
    public boolean tick(long nanos) {
        output.flushIdle();
        long oldest = replies.replied();
        if (oldest < progress.written()
                && deadlines.serverHangs(nanos, ring.deadline(oldest), connection.lastReadNanos())
                && replies.replied() == oldest) {
            connection.end(deadlines.hangCause());
        }
        return connection.isOpen();
    }
}
