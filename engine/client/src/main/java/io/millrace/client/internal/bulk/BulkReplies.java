// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.ReplySink;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The reading side of a bulk connection. Stores each reply in its slot of the {@link BulkRing}, and wakes the owner
 * when enough replies have arrived.
 *
 * <p>A waiting owner writes {@code wakeAt} and then reads {@code replied}. After each read, the reader writes {@code
 * replied} and then reads {@code wakeAt}. Both fields are volatile, so at least one of the two threads sees the write
 * of the other thread.
 */
final class BulkReplies implements ReplySink {

    /**
     * The reader may sleep if at least this number of commands is unanswered. While the reader sleeps, replies gather,
     * and the next read receives more of them. A server executes at most about two million commands per second, so this
     * number of commands keeps the server busy during the sleep.
     */
    private static final int GATHER_COMMANDS = 4_096;

    private static final long NOT_WAITING = Long.MAX_VALUE;

    private final BulkRing ring;
    private final FusibleKinds kinds;
    private final StatsCounter stats;
    private final BulkProgress progress;

    /** Nanoseconds that never decrease, comparable with the deadlines of the ring. */
    private final LongSupplier clock;

    /** Number of bytes that the transport has accepted. */
    private final LongSupplier taken;

    /** Ends the connection for the given cause. */
    private final Consumer<String> endConnection;

    // Written by the reader. Other threads may read the fields of type AtomicLong, and must not use the other fields.
    private long answering;
    private long knownWritten;
    private long commandsAnswered;
    private long positionAnswered;
    private long okInRead;
    private long errorsInRead;
    private final AtomicLong replied = new AtomicLong();
    private final AtomicLong repliedCommands = new AtomicLong();
    private final AtomicLong repliedPosition = new AtomicLong();

    /**
     * The total number of replies at which the owner must be woken. The next field is the thread of the owner. Both
     * fields are written by the owner and read by the thread that wakes the owner.
     */
    private volatile long wakeAt = NOT_WAITING;

    private volatile @Nullable Thread waitingOwner;

    /**
     * Why the connection ended; null while it is open. Set when the threads of the connection have stopped; never
     * reset.
     */
    private volatile BulkOutcomes.@Nullable ConnectionEnd ending;

    BulkReplies(
            BulkRing ring,
            FusibleKinds kinds,
            StatsCounter stats,
            BulkProgress progress,
            LongSupplier clock,
            LongSupplier taken,
            Consumer<String> endConnection) {
        this.ring = ring;
        this.kinds = kinds;
        this.stats = stats;
        this.progress = progress;
        this.clock = clock;
        this.taken = taken;
        this.endConnection = endConnection;
    }

    // Called by any thread.

    /** Number of commands on the wire that have their replies. */
    long replied() {
        return replied.get();
    }

    /** Number of submitted commands that have their replies. */
    long repliedCommands() {
        return repliedCommands.get();
    }

    /** Position in the bytes of the connection at which the last answered command ends. */
    long repliedPosition() {
        return repliedPosition.get();
    }

    /** The end of the connection; null while it is open. */
    BulkOutcomes.@Nullable ConnectionEnd ending() {
        return ending;
    }

    // Called by the owner.

    /**
     * Waits until {@code count} replies have arrived in total or the connection has ended. Waits for {@code nanos} at
     * most, and may return earlier.
     *
     * @return whether the thread has waited
     */
    boolean await(long count, long nanos) {
        waitingOwner = Thread.currentThread();
        wakeAt = count;
        boolean mustWait = replied.get() < count && ending == null && nanos > 0;
        if (mustWait) {
            LockSupport.parkNanos(this, nanos);
        }
        wakeAt = NOT_WAITING;
        return mustWait;
    }

    // Called by the threads of the connection.

    @Override
    public boolean reply(Reply reply) {
        if (answering == knownWritten) {
            knownWritten = progress.written();
            if (answering == knownWritten) {
                return false;
            }
        }
        FusedCommand fusedCommand = ring.fused(answering);
        if (fusedCommand != null && !kinds.accept(fusedCommand, reply)) {
            endConnection.accept("a fused command received an unexpected reply");
            return false;
        }
        long commandEnd = ring.commandEnd(answering);
        if (ring.answer(answering, reply)) {
            long commands = commandEnd - commandsAnswered;
            long errors = errors(reply, fusedCommand, commands);
            errorsInRead += errors;
            okInRead += commands - errors;
        } else {
            late(commandEnd - commandsAnswered);
        }
        commandsAnswered = commandEnd;
        positionAnswered = ring.end(answering);
        answering++;
        return true;
    }

    /** The number of commands among {@code commands} that get an error reply. */
    private static long errors(Reply reply, @Nullable FusedCommand fusedCommand, long commands) {
        if (reply instanceof Reply.ErrorReply) {
            return commands;
        }
        return fusedCommand == null ? 0 : fusedCommand.errors(reply);
    }

    /**
     * Counts a late reply. The reply to a fused command counts for each of its {@code commands}, and is one event. The
     * number is 0 for a renewed login.
     */
    private void late(long commands) {
        stats.countLate(commands);
        if (commands > 0) {
            FlightRecorderEvents.reportLateReply(BulkConnection.NAME, clock.getAsLong() - ring.deadline(answering));
        }
    }

    @Override
    public boolean batchEnd() {
        stats.countAnswered(okInRead, errorsInRead);
        okInRead = 0;
        errorsInRead = 0;
        repliedPosition.lazySet(positionAnswered);
        repliedCommands.lazySet(commandsAnswered);
        replied.set(answering);
        if (answering >= wakeAt) {
            LockSupport.unpark(waitingOwner);
        }
        return progress.written() - answering >= GATHER_COMMANDS;
    }

    @Override
    public void ended(String cause) {
        batchEnd();
        ending = new BulkOutcomes.ConnectionEnd(cause, taken.getAsLong());
        LockSupport.unpark(waitingOwner);
    }
}
