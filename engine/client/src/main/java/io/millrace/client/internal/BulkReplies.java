// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The reading side of a bulk connection: decides slots of the {@link BulkRing} by the replies that come, and wakes the owner
 * when there are as many as it waits for.
 *
 * <p>Who waits says in {@code wakeAt} for how many and then looks at {@code replied}; the reader, after each read, writes {@code
 * replied} and then looks at {@code wakeAt}. Both are volatile, so one sees the other.
 */
final class BulkReplies implements ReplySink {

    /** No server answers more than some two million commands a second, so this many keep it busy while replies gather. */
    private static final int PLENTY = 4_096;

    private static final long NOT_WAITING = Long.MAX_VALUE;

    private final BulkRing ring;
    private final FusibleKinds kinds;
    private final Account account;

    /** How many commands were sent. */
    private final LongSupplier sent;

    /** How many bytes the transport took. */
    private final LongSupplier taken;

    /** Is told why the connection must end. */
    private final Consumer<String> end;

    // Owned by the reader; the AtomicLongs are read by others.
    private long answering;
    private long sentSeen;
    private long commandsSoFar;
    private long positionSoFar;
    private long okOfBatch;
    private long errorsOfBatch;
    private final AtomicLong replied = new AtomicLong();
    private final AtomicLong repliedCommands = new AtomicLong();
    private final AtomicLong repliedPosition = new AtomicLong();

    /** How many replies the owner waits for, and who that is; written by the owner, read by whoever wakes it. */
    private volatile long wakeAt = NOT_WAITING;

    private volatile @Nullable Thread waiting;

    /** Set once, when nothing more will be read or written. */
    private volatile BulkOutcomes.@Nullable Ending ending;

    BulkReplies(
            BulkRing ring,
            FusibleKinds kinds,
            Account account,
            LongSupplier sent,
            LongSupplier taken,
            Consumer<String> end) {
        this.ring = ring;
        this.kinds = kinds;
        this.account = account;
        this.sent = sent;
        this.taken = taken;
        this.end = end;
    }

    // Any thread.

    /** How many commands on the wire have their replies. */
    long replied() {
        return replied.get();
    }

    /** How many submitted commands these stand for. */
    long commands() {
        return repliedCommands.get();
    }

    /** Where in the connection's stream of bytes the last of them ended. */
    long position() {
        return repliedPosition.get();
    }

    /** How the connection ended; null if it has not. */
    BulkOutcomes.@Nullable Ending ending() {
        return ending;
    }

    // The owner.

    /**
     * Waits until so many replies are there, the connection has ended, or {@code until}; may return sooner.
     *
     * @return whether it has waited
     */
    boolean await(long count, long until) {
        waiting = Thread.currentThread();
        wakeAt = count;
        long nanos = until - System.nanoTime();
        boolean waits = replied.get() < count && ending == null && nanos > 0;
        if (waits) {
            LockSupport.parkNanos(this, nanos);
        }
        wakeAt = NOT_WAITING;
        return waits;
    }

    // The connection's threads.

    @Override
    public boolean reply(Reply reply) {
        if (answering == sentSeen) {
            sentSeen = sent.getAsLong();
            if (answering == sentSeen) {
                return false;
            }
        }
        Fused fused = ring.fused(answering);
        if (fused != null && !kinds.accept(fused, reply)) {
            end.accept("a fused command was answered by something else");
            return false;
        }
        long commandEnd = ring.commandEnd(answering);
        if (ring.answer(answering, reply)) {
            if (reply instanceof Reply.ErrorReply) {
                errorsOfBatch += commandEnd - commandsSoFar;
            } else {
                okOfBatch += commandEnd - commandsSoFar;
            }
        }
        commandsSoFar = commandEnd;
        positionSoFar = ring.end(answering);
        answering++;
        return true;
    }

    @Override
    public boolean batchEnd() {
        account.answered(okOfBatch, errorsOfBatch);
        okOfBatch = 0;
        errorsOfBatch = 0;
        repliedPosition.lazySet(positionSoFar);
        repliedCommands.lazySet(commandsSoFar);
        replied.set(answering);
        if (answering >= wakeAt) {
            LockSupport.unpark(waiting);
        }
        return sent.getAsLong() - answering >= PLENTY;
    }

    @Override
    public void ended(String cause) {
        batchEnd();
        ending = new BulkOutcomes.Ending(cause, taken.getAsLong());
        LockSupport.unpark(waiting);
    }
}
