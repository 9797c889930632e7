// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.CommandSpec;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.Replies;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to one thread, its owner, and carries as many commands as the server can take.
 *
 * <p>DESIGN. The ring of what is on the wire is also the queue of outcomes: the reader decides a slot and moves on; the owner
 * collects decided slots, in order, whenever it has sent a batch or has to wait, and tells the listener. So outcomes need no
 * queue of their own, no code of the user runs on the reader, and what is bounded is the ring. What was fused is divided by the
 * owner, too.
 *
 * <pre>
 *   told    <= ... <= sent        the listener was not told yet
 *   replied <= ... <= sent        on the wire: a reply is still owed
 *      |               ^ the owner's commands are appended here, one by one or in runs
 *      ^ reader is here            a slot is free again when both counts have passed it
 * </pre>
 *
 * <p>The two are never mixed: what has timed out is told of, and keeps its slot until its reply comes.
 *
 * <p>The owner waits in one place, {@link #awaitReplies}. Waiting for a quarter of the window at once spares most of the thread
 * switches.
 *
 * <p>A run that is open while the owner is away is closed by the timekeeper. So what {@link #written} does happens on either,
 * with the {@linkplain Fuser fuser's} lock; its fields are read by the owner afterwards.
 */
final class BulkConnection implements BulkWriter, Fuser.Receiver, Timekeeper.Watched, Accounts.Accountable {

    /** The server reads 16 KiB at a time; less is not worth waking the writer. */
    private static final int BATCH_BYTES = 16 * 1024;

    /**
     * Of fused commands many take few bytes, and the window is not to be full of what waits to be sent. With a quarter of its
     * default a million fused SETBITs took 0.75 of the time that they took with 1,024, which woke the threads more often.
     */
    private static final int BATCH_COMMANDS = 4_096;

    /** Not looking for this long means that the process may have stood still. */
    private static final long OVERSLEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** After that nothing times out for this long: first the reader shall take what has arrived meanwhile. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long outcomes may lie there while the owner submits. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What {@code command} is between end() and begin(). */
    private static final CommandSpec<Reply> NOTHING = CommandSpec.of("NOTHING", Replies::raw);

    private static final String NAME = "bulk";

    private final Outbox outbox = new Outbox();
    private final RequestEncoder encoder = new RequestEncoder(outbox);
    private final Fuser fuser;
    private final Connection connection;
    private final Timekeeper timekeeper;
    private final Consumer<BulkConnection> whenClosed;
    private final BulkRing ring;
    private final int capacity;
    private final long capacityBytes;
    private final long timeoutNanos;

    // Owned by the owner; the AtomicLongs are read by others.
    private CommandSpec<?> command = NOTHING;

    /** Of the command that was begun last, and of all of the run that is open. */
    private CommandSpec<?> lastSpec = NOTHING;

    private long requestedPosition;
    private long requestedCommands;

    /** Of the command that has waited for room, and goes out by itself, as its time has been running; 0 for all others. */
    private long deadlineOfWaiter;

    private long lastLookNanos = System.nanoTime();
    private long graceUntilNanos = lastLookNanos;
    private final AtomicLong windowNanos = new AtomicLong();
    private final AtomicLong submitted = new AtomicLong();
    private final Account account = new Account(submitted::get);
    private final BulkOutcomes outcomes;
    private final BulkReplies replies;
    private final AtomicLong peakInFlight = new AtomicLong();

    // Written with the fuser's lock, by the owner or the timekeeper.
    private final AtomicLong position = new AtomicLong();
    private final AtomicLong writtenCommands = new AtomicLong();
    private final AtomicLong lastWriteNanos = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();

    BulkConnection(
            Transport transport,
            FusibleKinds kinds,
            Timekeeper timekeeper,
            BulkOptions options,
            BulkListener listener,
            Consumer<BulkConnection> whenClosed) {
        this.whenClosed = whenClosed;
        this.capacity = options.inFlight();
        this.capacityBytes = options.inFlightBytes();
        this.timeoutNanos = options.timeout().toNanos();
        int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
        this.ring = new BulkRing(slots);
        this.outcomes = new BulkOutcomes(ring, slots, listener, account);
        this.fuser = new Fuser(encoder, kinds, this);
        this.timekeeper = timekeeper;
        this.replies = new BulkReplies(ring, kinds, account, sent::get, outbox::taken, this::endConnection);
        this.connection = new Connection(transport, replies, System::nanoTime);
        connection.start(outbox);
        timekeeper.watch(this);
    }

    @Override
    public BulkWriter begin(CommandSpec<?> newCommand) {
        outcomes.refuseListener();
        if (newCommand != lastSpec) {
            // The commands of a run are told of with the spec that they have in common.
            fuser.close();
            lastSpec = newCommand;
        }
        command = newCommand;
        fuser.begin(newCommand);
        return this;
    }

    @Override
    public BulkWriter arg(byte[] bytes, int offset, int length) {
        fuser.arg(bytes, offset, length);
        return this;
    }

    @Override
    public BulkWriter arg(String text) {
        fuser.arg(text);
        return this;
    }

    @Override
    public BulkWriter arg(long number) {
        fuser.arg(number);
        return this;
    }

    @Override
    public void end(long tag) {
        CommandSpec<?> ended = command;
        if (ended == NOTHING) {
            throw new IllegalStateException("end without begin");
        }
        command = NOTHING;
        int length = fuser.end();
        if (hasRoomFor(length)) {
            submit(tag);
        } else if (awaitRoomFor(length)) {
            submit(tag);
            fuser.close();
            deadlineOfWaiter = 0;
        } else {
            tellNotSent(tag, ended);
            return;
        }
        if (position.get() - requestedPosition >= BATCH_BYTES
                || submitted.getPlain() - requestedCommands >= BATCH_COMMANDS) {
            flush();
            collect();
        } else if (lastWriteNanos.get() - lastLookNanos > LOOK_NANOS) {
            // A slow source: its outcomes shall not wait for the next 16 KiB.
            collect();
        }
    }

    private void submit(long tag) {
        long number = submitted.getPlain();
        outcomes.tag(number, tag);
        submitted.lazySet(number + 1);
        fuser.submit();
    }

    @Override
    public void broken() {
        endConnection("a command could not be written to its end");
    }

    @Override
    public void written(@Nullable Fused fused, int bytes) {
        int commands = 1;
        if (fused != null) {
            commands = fused.commands();
            account.fused(commands);
            Events.FusedRun.report(NAME, fused, bytes);
        }
        long number = sent.getPlain();
        long end = position.getPlain() + bytes;
        long commandEnd = writtenCommands.getPlain() + commands;
        long now = System.nanoTime();
        ring.fill(
                number,
                lastSpec,
                fused,
                end,
                commandEnd,
                deadlineOfWaiter == 0 ? now + timeoutNanos : deadlineOfWaiter);
        sent.lazySet(number + 1);
        writtenCommands.lazySet(commandEnd);
        position.lazySet(end);
        lastWriteNanos.lazySet(now);
        outbox.publish(encoder.finished(), bytes);
    }

    @Override
    public void flush() {
        fuser.close();
        requestedPosition = position.get();
        requestedCommands = submitted.getPlain();
        outbox.request();
        peakInFlight.lazySet(Math.max(peakInFlight.getPlain(), requestedCommands - replies.commands()));
    }

    @Override
    public void finish() {
        outcomes.refuseListener();
        flush();
        boolean interrupted = false;
        for (collect(); outcomes.told() < sent.get(); collect()) {
            awaitReplies(sent.get(), ring.deadline(outcomes.told()));
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
    public FusionCounts fusion() {
        return account.fusion();
    }

    @Override
    public ConnectionAccount account() {
        return new ConnectionAccount(
                NAME,
                ConnectionAccount.Kind.BULK,
                connection.isOpen(),
                account.counts(),
                (int) (submitted.get() - replies.commands()),
                outbox.taken() - replies.position(),
                account.lateReplies(),
                0,
                account.fusion());
    }

    @Override
    public Traffic traffic() {
        return new Traffic(outbox.taken(), peakInFlight.get(), windowNanos.get(), outbox.socketNanos());
    }

    @Override
    public void abort() {
        endConnection("given up by this client");
    }

    private void endConnection(String cause) {
        connection.end(cause);
    }

    @Override
    public void close() {
        outcomes.refuseListener();
        connection.end("closed by this client");
        connection.awaitEnd();
        timekeeper.forget(this);
        collect();
        whenClosed.accept(this);
    }

    // The window.

    private boolean hasRoomFor(int length) {
        long number = submitted.getPlain();
        long answered = replies.commands();
        return replies.ending() == null
                && number - Math.min(answered, outcomes.toldCommands()) < capacity
                && (answered == number || bytesOnTheWire() + length <= capacityBytes);
    }

    /** At most: a run that is open is taken to be as long as one can be. */
    private long bytesOnTheWire() {
        int open = writtenCommands.get() < submitted.getPlain() ? Fuser.MOST_BYTES : 0;
        return position.get() + open - replies.position();
    }

    /** Waits for room; without it, or when the listener throws, the command is taken back. */
    private boolean awaitRoomFor(int length) {
        long before = System.nanoTime();
        long deadline = before + timeoutNanos;
        deadlineOfWaiter = deadline;
        boolean found = false;
        try {
            flush();
            collect();
            while (!hasRoomFor(length)) {
                if (replies.ending() != null
                        || System.nanoTime() >= deadline
                        || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                long oldest = outcomes.told();
                long oldestDeadline = oldest < sent.get() ? ring.deadline(oldest) : deadline;
                awaitReplies(enoughReplies(length), Math.min(deadline, oldestDeadline));
                collect();
            }
            found = true;
            return true;
        } catch (Throwable e) {
            // The listener's: it learns of this command no more, but the account does.
            account.submitted();
            account.ended(new Outcome.Refused());
            throw e;
        } finally {
            if (!found) {
                deadlineOfWaiter = 0;
                fuser.withdraw();
            }
            windowNanos.lazySet(windowNanos.getPlain() + System.nanoTime() - before);
        }
    }

    /** How many replies leave a quarter of the window free, in commands and in bytes. Everything is written by then. */
    private long enoughReplies(int length) {
        long all = sent.get();
        long from = Math.min(replies.replied(), all);
        long commands = submitted.getPlain() - capacity + Math.max(1, capacity / 4);
        long bytes = position.get() + length - capacityBytes + capacityBytes / 4;
        long byCommands = ring.firstWithCommands(commands, from, all) + 1;
        long byBytes = bytes <= 0 ? 0 : ring.firstEndingAt(bytes, from, all) + 1;
        return Math.min(all, Math.max(byCommands, byBytes));
    }

    /** Waits until so many replies are there, the connection has ended, or {@code deadline}; may return sooner. */
    private void awaitReplies(long count, long deadline) {
        long until = Math.max(deadline, graceUntilNanos);
        if (replies.await(count, until)) {
            lastLookNanos = Math.min(System.nanoTime(), until);
        }
    }

    // Outcomes, on the owner.

    /** Tells the listener of every command, in order, up to the first that has no outcome yet. */
    private void collect() {
        // Read before any state: once it is set, a slot that is pending stays so.
        BulkOutcomes.Ending known = replies.ending();
        long now = System.nanoTime();
        if (now - lastLookNanos > OVERSLEPT_NANOS) {
            graceUntilNanos = now + GRACE_NANOS;
        }
        lastLookNanos = now;
        if (known != null) {
            fuser.abandon();
        }
        outcomes.tell(sent.get(), graceUntilNanos, known);
        if (known != null) {
            outcomes.tellOfUnwritten(submitted.getPlain(), lastSpec, known);
        }
    }

    private void tellNotSent(long tag, CommandSpec<?> spec) {
        BulkOutcomes.Ending known = replies.ending();
        Outcome outcome = known == null ? new Outcome.Refused() : new Outcome.Lost(false, known.cause());
        account.submitted();
        account.ended(outcome);
        collect();
        outcomes.tell(tag, spec, outcome);
    }

    // The timekeeper.

    @Override
    public boolean tick(long nanos) {
        fuser.closeIfIdle();
        outbox.requestStale();
        long oldest = replies.replied();
        if (oldest < sent.get()) {
            long deadline = ring.deadline(oldest);
            boolean overdueByAnotherTimeout = nanos - deadline > timeoutNanos;
            boolean nothingRead = nanos - connection.lastReadNanos() > timeoutNanos;
            if (overdueByAnotherTimeout && nothingRead && replies.replied() == oldest) {
                connection.end("the server hangs: nothing read for twice the timeout of " + timeoutNanos / 1_000_000
                        + " ms while a reply was due");
            }
        }
        return connection.isOpen();
    }
}
