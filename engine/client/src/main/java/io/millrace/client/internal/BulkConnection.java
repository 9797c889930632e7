// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.CommandSpec;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.Outcome;
import io.millrace.client.Replies;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to one thread, its owner, and carries as many commands as the server can take.
 *
 * <p>DESIGN. The ring of commands in flight is also the queue of outcomes: the reader decides a slot and moves on; the owner
 * collects decided slots, in order, whenever it has sent a batch or has to wait, and tells the listener. So outcomes need no
 * queue of their own, no code of the user runs on the reader, and what is bounded is the ring.
 *
 * <pre>
 *   collected <= ... <= appended        the listener was not told yet
 *   replied   <= ... <= appended        on the wire: a reply is still owed
 *        |                  ^ owner appends here
 *        ^ reader is here            a slot is free again when both counts have passed it
 * </pre>
 *
 * <p>The two are never mixed: a command that timed out is collected, and keeps its slot until its reply comes.
 *
 * <p>The owner waits in one place, {@link #awaitReplies}. It says in {@code wakeAt} how many replies it waits for; the reader
 * compares after each read. Waiting for a quarter of the window at once spares most of the thread switches.
 */
final class BulkConnection implements BulkWriter, ReplySink, Timekeeper.Watched, Accounts.Accountable {

    /** The server reads 16 KiB at a time; less is not worth waking the writer. */
    private static final int BATCH_BYTES = 16 * 1024;

    /** No server answers more than some two million commands a second, so this many keep it busy while replies gather. */
    private static final int PLENTY = 4_096;

    /** Not looking for this long means that the process may have stood still. */
    private static final long OVERSLEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** After that nothing times out for this long: first the reader shall take what has arrived meanwhile. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long outcomes may lie there while the owner submits. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What {@code command} is between end() and begin(). */
    private static final CommandSpec<Reply> NOTHING = CommandSpec.of("NOTHING", Replies::raw);

    private static final Outcome TIMED_OUT = new Outcome.TimedOut();

    private static final long NOT_WAITING = Long.MAX_VALUE;

    private final Account account = new Account();
    private final Outbox outbox = new Outbox();
    private final RequestEncoder encoder = new RequestEncoder(outbox);
    private final Connection connection;
    private final Timekeeper timekeeper;
    private final BulkListener listener;
    private final Consumer<BulkConnection> whenClosed;
    private final BulkRing ring;
    private final int capacity;
    private final long capacityBytes;
    private final long timeoutNanos;

    // Owned by the owner; the AtomicLongs are read by others.
    private CommandSpec<?> command = NOTHING;
    private long position;
    private long requestedPosition;
    private long collected;
    private boolean telling;
    private long lastLookNanos = System.nanoTime();
    private long graceUntilNanos = lastLookNanos;
    private final AtomicLong windowNanos = new AtomicLong();
    private final AtomicLong appended = new AtomicLong();
    private final AtomicLong peakInFlight = new AtomicLong();

    // Owned by the reader; the AtomicLongs are read by others.
    private long answering;
    private long appendedSeen;
    private long positionSoFar;
    private long okOfBatch;
    private long errorsOfBatch;
    private final AtomicLong replied = new AtomicLong();
    private final AtomicLong repliedPosition = new AtomicLong();

    /** How many replies the owner waits for, and who that is; written by the owner, read by whoever wakes it. */
    private volatile long wakeAt = NOT_WAITING;

    private volatile @Nullable Thread waiting;

    /** Set once, when nothing more will be read or written. */
    private volatile @Nullable Ending ending;

    private record Ending(String cause, long bytesTaken) {}

    BulkConnection(
            Transport transport,
            Timekeeper timekeeper,
            BulkOptions options,
            BulkListener listener,
            Consumer<BulkConnection> whenClosed) {
        this.whenClosed = whenClosed;
        this.capacity = options.inFlight();
        this.capacityBytes = options.inFlightBytes();
        this.timeoutNanos = options.timeout().toNanos();
        this.ring = new BulkRing(Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        this.listener = listener;
        this.timekeeper = timekeeper;
        this.connection = new Connection(transport, this, System::nanoTime);
        connection.start(outbox);
        timekeeper.watch(this);
    }

    @Override
    public BulkWriter begin(CommandSpec<?> newCommand) {
        refuseListener();
        command = newCommand;
        encoder.begin(newCommand.encodedName(), newCommand.words());
        return this;
    }

    @Override
    public BulkWriter arg(byte[] bytes, int offset, int length) {
        encoder.arg(bytes, offset, length);
        return this;
    }

    @Override
    public BulkWriter arg(String text) {
        encoder.arg(text);
        return this;
    }

    @Override
    public BulkWriter arg(long number) {
        encoder.arg(number);
        return this;
    }

    @Override
    public void end(long tag) {
        if (command == NOTHING) {
            throw new IllegalStateException("end without begin");
        }
        long now = System.nanoTime();
        long deadline = now + timeoutNanos;
        int length = encoder.end();
        account.submitted();
        CommandSpec<?> submitted = command;
        command = NOTHING;
        if (!hasRoomFor(length) && !awaitRoomFor(length, deadline)) {
            tellNotSent(tag, submitted);
            return;
        }
        long sequence = appended.getPlain();
        position += length;
        ring.fill(sequence, submitted, tag, position, deadline);
        appended.lazySet(sequence + 1);
        outbox.publish(encoder.finished(), length);
        if (position - requestedPosition >= BATCH_BYTES) {
            flush();
            collect();
        } else if (now - lastLookNanos > LOOK_NANOS) {
            // A slow source: its outcomes shall not wait for the next 16 KiB.
            collect();
        }
    }

    @Override
    public void flush() {
        requestedPosition = position;
        outbox.request();
        peakInFlight.lazySet(Math.max(peakInFlight.getPlain(), appended.getPlain() - replied.get()));
    }

    @Override
    public void finish() {
        refuseListener();
        flush();
        boolean interrupted = false;
        for (collect(); collected < appended.getPlain(); collect()) {
            awaitReplies(appended.getPlain(), ring.deadline(collected));
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public CommandCounts counts() {
        return account.counts();
    }

    @Override
    public ConnectionAccount account() {
        return new ConnectionAccount(
                "bulk",
                ConnectionAccount.Kind.BULK,
                connection.isOpen(),
                account.counts(),
                (int) (appended.get() - replied.get()),
                outbox.taken() - repliedPosition.get(),
                account.lateReplies(),
                0);
    }

    @Override
    public Traffic traffic() {
        return new Traffic(outbox.taken(), peakInFlight.get(), windowNanos.get(), outbox.socketNanos());
    }

    @Override
    public void abort() {
        connection.end("given up by this client");
    }

    @Override
    public void close() {
        refuseListener();
        connection.end("closed by this client");
        connection.awaitEnd();
        timekeeper.forget(this);
        collect();
        whenClosed.accept(this);
    }

    // The window.

    private boolean hasRoomFor(int length) {
        long sequence = appended.getPlain();
        long answered = replied.get();
        return ending == null
                && sequence - Math.min(answered, collected) < capacity
                && (position - repliedPosition.get() + length <= capacityBytes || answered == sequence);
    }

    /** Waits for room; without it, or when the listener throws, the encoded command is taken back. */
    private boolean awaitRoomFor(int length, long deadline) {
        long before = System.nanoTime();
        boolean found = false;
        try {
            flush();
            collect();
            while (!hasRoomFor(length)) {
                if (ending != null
                        || System.nanoTime() >= deadline
                        || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                long headDeadline = collected < appended.getPlain() ? ring.deadline(collected) : deadline;
                awaitReplies(enoughReplies(length), Math.min(deadline, headDeadline));
                collect();
            }
            found = true;
            return true;
        } catch (Throwable e) {
            // The listener's: it learns of this command no more, but the account does.
            account.ended(new Outcome.Refused());
            throw e;
        } finally {
            if (!found) {
                encoder.withdraw(length);
            }
            windowNanos.lazySet(windowNanos.getPlain() + System.nanoTime() - before);
        }
    }

    /** How many replies leave a quarter of the window free, in commands and in bytes. */
    private long enoughReplies(int length) {
        long sequence = appended.getPlain();
        long byCommands = sequence - capacity + Math.max(1, capacity / 4);
        long freeBytes = position + length - capacityBytes + capacityBytes / 4;
        long byBytes = freeBytes <= 0 ? 0 : ring.firstEndingAt(freeBytes, replied.get(), sequence - 1) + 1;
        return Math.min(sequence, Math.max(byCommands, byBytes));
    }

    /** Waits until so many replies are there, the connection has ended, or {@code deadline}; may return sooner. */
    private void awaitReplies(long count, long deadline) {
        waiting = Thread.currentThread();
        wakeAt = count;
        long until = Math.max(deadline, graceUntilNanos);
        long nanos = until - System.nanoTime();
        if (replied.get() < count && ending == null && nanos > 0) {
            LockSupport.parkNanos(this, nanos);
            lastLookNanos = Math.min(System.nanoTime(), until);
        }
        wakeAt = NOT_WAITING;
    }

    // Outcomes, on the owner.

    /** Tells the listener of every command, in order, up to the first that has no outcome yet. */
    private void collect() {
        // Read before any state: once it is set, a slot that is pending stays so.
        Ending known = ending;
        long now = System.nanoTime();
        if (now - lastLookNanos > OVERSLEPT_NANOS) {
            graceUntilNanos = now + GRACE_NANOS;
        }
        lastLookNanos = now;
        long end = appended.getPlain();
        while (collected < end) {
            Outcome outcome = outcomeOf(collected, known);
            if (outcome == null) {
                return;
            }
            long sequence = collected++;
            tell(ring.tag(sequence), ring.spec(sequence), outcome);
        }
    }

    private @Nullable Outcome outcomeOf(long sequence, @Nullable Ending known) {
        int state = ring.state(sequence);
        if (state == BulkRing.PENDING) {
            if (known != null) {
                Outcome lost = new Outcome.Lost(ring.end(sequence) <= known.bytesTaken(), known.cause());
                account.ended(lost);
                return lost;
            }
            long now = System.nanoTime();
            if (now < ring.deadline(sequence) || now < graceUntilNanos) {
                return null;
            }
            if (ring.expire(sequence)) {
                account.ended(TIMED_OUT);
            }
            state = ring.state(sequence);
        }
        return state == BulkRing.TIMED_OUT ? TIMED_OUT : answered(ring.takeReply(sequence));
    }

    private static Outcome answered(Reply reply) {
        return reply instanceof Reply.ErrorReply error ? new Outcome.Failed(error) : new Outcome.Ok(reply);
    }

    private void tellNotSent(long tag, CommandSpec<?> submitted) {
        Ending known = ending;
        Outcome outcome = known == null ? new Outcome.Refused() : new Outcome.Lost(false, known.cause());
        account.ended(outcome);
        collect();
        tell(tag, submitted, outcome);
    }

    private void tell(long tag, CommandSpec<?> told, Outcome outcome) {
        telling = true;
        try {
            listener.ended(tag, told, outcome);
        } finally {
            telling = false;
        }
    }

    private void refuseListener() {
        if (telling) {
            throw new IllegalStateException("a listener must not use the writer that tells it");
        }
    }

    // The connection's threads.

    @Override
    public boolean reply(Reply reply) {
        if (answering == appendedSeen) {
            appendedSeen = appended.get();
            if (answering == appendedSeen) {
                return false;
            }
        }
        if (ring.answer(answering, reply)) {
            if (reply instanceof Reply.ErrorReply) {
                errorsOfBatch++;
            } else {
                okOfBatch++;
            }
        }
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
        replied.set(answering);
        if (answering >= wakeAt) {
            LockSupport.unpark(waiting);
        }
        return appended.get() - answering >= PLENTY;
    }

    @Override
    public void ended(String cause) {
        batchEnd();
        ending = new Ending(cause, outbox.taken());
        LockSupport.unpark(waiting);
    }

    // The timekeeper.

    @Override
    public boolean tick(long nanos) {
        outbox.requestStale();
        long oldest = replied.get();
        if (oldest < appended.get()) {
            long deadline = ring.deadline(oldest);
            boolean overdueByAnotherTimeout = nanos - deadline > timeoutNanos;
            boolean nothingRead = nanos - connection.lastReadNanos() > timeoutNanos;
            if (overdueByAnotherTimeout && nothingRead && replied.get() == oldest) {
                connection.end("the server hangs: nothing read for twice the timeout of " + timeoutNanos / 1_000_000
                        + " ms while a reply was due");
            }
        }
        return connection.isOpen();
    }
}
