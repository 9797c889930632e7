// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ArgumentSink;
import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection shared by any number of callers, each of whom waits for its own reply.
 *
 * <p>DESIGN. A permit is taken before a command gets a slot and comes back with the reply, not with the caller's patience: a
 * command that timed out keeps its slot, so the ring of slots can never be overrun and no reply can meet a stranger. The
 * order of slots is the order of bytes because both are set under {@link #submitLock}. Callers are woken when a whole read
 * has been parsed.
 */
final class CallConnection implements ReplySink, Timekeeper.Watched {

    /** Bytes are counted in units of this size, because a semaphore counts to 2^31 only. */
    private static final int UNIT_BYTES = 64;

    private final Outbox outbox = new Outbox();
    private final Connection connection;
    private final Timekeeper timekeeper;
    private final int mask;
    private final int inFlightLimit;
    private final int unitLimit;
    private final long commandTimeoutNanos;
    private final AtomicReferenceArray<@Nullable PendingCall> slots;
    private final Semaphore permits;
    private final Semaphore units;
    private final AtomicLong appended = new AtomicLong();
    private final AtomicLong replied = new AtomicLong();

    private final ReentrantLock submitLock = new ReentrantLock();

    // Guarded by submitLock.
    private final RequestEncoder encoder = new RequestEncoder(outbox);
    private final ArgumentSink arguments = new EncoderArguments(encoder);
    private long position;
    private @Nullable String endCause;

    // Owned by the reader.
    private long answering;
    private int permitsToReturn;
    private int unitsToReturn;
    private final List<PendingCall> answered = new ArrayList<>();

    CallConnection(Transport transport, Timekeeper timekeeper, ClientOptions options) {
        int size = Integer.highestOneBit(Math.max(1, options.inFlight() - 1)) << 1;
        this.timekeeper = timekeeper;
        this.mask = size - 1;
        this.slots = new AtomicReferenceArray<>(size);
        this.inFlightLimit = options.inFlight();
        this.permits = new Semaphore(inFlightLimit, true);
        this.unitLimit = (int) Math.min(Integer.MAX_VALUE, options.inFlightBytes() / UNIT_BYTES);
        this.units = new Semaphore(unitLimit, true);
        this.commandTimeoutNanos = options.commandTimeout().toNanos();
        this.connection = new Connection(transport, outbox, this);
        connection.start();
        timekeeper.watch(this);
    }

    /** Submits {@code call}. Waits for a place until its deadline; without one the call ends as refused. */
    void submit(PendingCall call) {
        call.units = unitsOf(call.command);
        if (!takePermits(call)) {
            call.decideAndAnnounce(new Outcome.Refused());
            return;
        }
        Outcome notSent = new Outcome.Refused();
        submitLock.lock();
        try {
            String cause = endCause;
            if (cause == null) {
                append(call);
                notSent = null;
            } else {
                notSent = new Outcome.Lost(false, cause);
            }
        } finally {
            if (notSent != null) {
                encoder.abandon();
            }
            submitLock.unlock();
            if (notSent != null) {
                permits.release();
                units.release(call.units);
                call.decideAndAnnounce(notSent);
            }
        }
        timekeeper.wake();
    }

    private boolean takePermits(PendingCall call) {
        if (!tryAcquire(permits, 1, call.deadlineNanos)) {
            return false;
        }
        if (!tryAcquire(units, call.units, call.deadlineNanos)) {
            permits.release();
            return false;
        }
        return true;
    }

    /** First come, first served, or a large command would starve. An interrupted caller gets none; its flag stays set. */
    private static boolean tryAcquire(Semaphore semaphore, int count, long deadlineNanos) {
        try {
            return semaphore.tryAcquire(count, deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private int unitsOf(Command<?> command) {
        return (int) Math.min(unitLimit, command.encodedBytes() / UNIT_BYTES + 1);
    }

    /** Under the submit lock. */
    private void append(PendingCall call) {
        encoder.begin(call.command.spec().encodedName(), call.command.spec().words());
        call.command.writeTo(arguments);
        int length = encoder.end();
        position += length;
        call.endPosition = position;
        long sequence = appended.getPlain();
        slots.setRelease((int) sequence & mask, call);
        appended.set(sequence + 1);
        outbox.publish(encoder.finished(), length);
        outbox.request();
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /** What a message about {@code call}, which is in trouble, should say of this connection. */
    String state(PendingCall call) {
        long answered = replied.get();
        long taken = outbox.taken();
        String phase = call.endPosition == 0 ? "waiting for a permit" : call.endPosition <= taken ? "sent" : "buffered";
        return "phase=" + phase + ", inFlight=" + (appended.get() - answered) + ", limit=" + inFlightLimit
                + ", bytesSent=" + taken + ", lastReadAgo="
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - connection.lastReadNanos()) + " ms";
    }

    void close() {
        connection.end("closed by this client");
        connection.awaitEnd();
        timekeeper.forget(this);
    }

    // The connection's threads.

    @Override
    public boolean reply(Reply reply) {
        int slot = (int) answering & mask;
        PendingCall call = slots.getAcquire(slot);
        if (call == null) {
            return false;
        }
        slots.setRelease(slot, null);
        answering++;
        permitsToReturn++;
        unitsToReturn += call.units;
        Outcome outcome = reply instanceof Reply.ErrorReply error ? new Outcome.Failed(error) : new Outcome.Ok(reply);
        if (call.decide(outcome)) {
            answered.add(call);
        }
        return true;
    }

    @Override
    public boolean batchEnd() {
        replied.set(answering);
        units.release(unitsToReturn);
        permits.release(permitsToReturn);
        unitsToReturn = 0;
        permitsToReturn = 0;
        answered.forEach(PendingCall::announce);
        answered.clear();
        return false;
    }

    @Override
    public void ended(String cause, long bytesTaken) {
        submitLock.lock();
        try {
            endCause = cause;
        } finally {
            submitLock.unlock();
        }
        batchEnd();
        for (long sequence = answering; sequence < appended.get(); sequence++) {
            PendingCall call = slots.getAndSet((int) sequence & mask, null);
            if (call != null) {
                call.decideAndAnnounce(new Outcome.Lost(call.endPosition <= bytesTaken, cause));
                permits.release();
                units.release(call.units);
            }
        }
    }

    // The timekeeper.

    @Override
    public boolean tick(long nanos) {
        long oldest = replied.get();
        long end = appended.get();
        for (long sequence = oldest; sequence < end; sequence++) {
            // A slot may have been answered and filled again meanwhile: whichever call it is knows its own deadline.
            PendingCall call = slots.getAcquire((int) sequence & mask);
            if (call != null && nanos >= call.deadlineNanos) {
                call.decideAndAnnounce(new Outcome.TimedOut());
                endIfHung(call, nanos);
            }
        }
        return oldest < end;
    }

    private void endIfHung(PendingCall call, long nanos) {
        boolean overdueByAnotherTimeout = nanos - call.deadlineNanos > commandTimeoutNanos;
        if (overdueByAnotherTimeout && nanos - connection.lastReadNanos() > commandTimeoutNanos) {
            connection.end("the server hangs: nothing read for "
                    + TimeUnit.NANOSECONDS.toMillis(nanos - connection.lastReadNanos())
                    + " ms while a reply was due");
        }
    }
}
