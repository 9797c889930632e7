// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection of a {@link SharedConnection}, from its handshake to its end: what is on the wire, in order.
 *
 * <pre>
 *   sender: append() -> encoded bytes -> transport          at [appended]
 *   ring:   ... | answered | owed | owed | owed | free ...
 *   reader: reply() <- transport                            at [replied]
 * </pre>
 *
 * <p>DESIGN. The n-th reply belongs to the n-th command; the ring is the only thing that matches them. A submission whose time
 * is up keeps its slot until its replies, or the end of the wire. The ring has at least twice as many slots as the window has
 * places, so it cannot overrun, and a block of {@link #deadlines} is not used again before all of it was answered.
 *
 * <p>The sender's side belongs to whoever has the sending role of the shared connection. The reader's side belongs to
 * whoever has its {@linkplain ReadingRole reading role} and, when {@link #awaitEnd} has returned, to the sender.
 */
final class Wire implements ReplySink {

    private static final int BLOCK = 64;

    private final SharedConnection owner;
    private final Transport transport;
    private final Connection connection;
    private final SegmentChain chain = new SegmentChain();
    private final CommandWriter writer;
    private final FusibleKinds kinds;
    private final AtomicReferenceArray<@Nullable Submission> ring;
    private final int mask;

    /** The earliest deadline of each block of slots, which spares the timekeeper most slots. Written by the sender. */
    private final AtomicLongArray deadlines;

    /** Written by the sender. */
    private final AtomicLong appended = new AtomicLong();

    /** Written by the reader. */
    private final AtomicLong replied = new AtomicLong();

    /** Whether the last replies were for several submissions. Written by whoever reads. */
    private volatile boolean crowded;

    // The reader's.
    private long answering;
    private long repliesTaken;
    private final Reply[] parts = new Reply[Run.MOST_COMMANDS];
    private long costToRelease;
    private final Tally tally = new Tally();
    private final List<Submission> finished = new ArrayList<>();

    Wire(SharedConnection owner, Link link, int inFlight) {
        int size = Math.max(2 * BLOCK, Integer.highestOneBit(4 * inFlight - 1));
        this.owner = owner;
        this.transport = link.transport();
        this.kinds = owner.fusible(link);
        this.writer = new CommandWriter(chain, kinds, owner);
        this.ring = new AtomicReferenceArray<>(size);
        this.deadlines = new AtomicLongArray(size / BLOCK);
        this.mask = size - 1;
        this.connection = new Connection(transport, this, owner.clock());
    }

    void start() {
        connection.startReader();
    }

    // Any thread.

    boolean isOpen() {
        return connection.isOpen();
    }

    void end(String cause) {
        connection.end(cause);
    }

    /** Whether no reply is owed. */
    boolean idle() {
        return replied.get() == appended.get();
    }

    /** Whether no reply is owed, and the last to come were for a single submission. */
    boolean isQuiet() {
        return !crowded && idle();
    }

    long onTheWire() {
        return appended.get() - replied.get();
    }

    /** How many bytes are encoded and not taken. */
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

    // Whoever waits for something.

    /** Reads until {@code submission} has ended, if this is the lone caller; otherwise sees to it that somebody reads. */
    void readFor(Submission submission) {
        ReadingRole reading = connection.reading();
        if (!reading.take()) {
            reading.callReader();
            return;
        }
        try {
            while (!submission.ended() && isOpen() && !Thread.currentThread().isInterrupted()) {
                connection.readOnce();
            }
        } finally {
            connection.leaveReading();
        }
    }

    /** Sees to it that somebody reads, unless {@code waiter} is expected to come and do so. */
    void readUnless(@Nullable Thread waiter) {
        ReadingRole reading = connection.reading();
        if (!reading.isLone(waiter)) {
            reading.callReader();
        }
    }

    /** Wakes {@code waiter}, wherever it waits. */
    void wake(Thread waiter) {
        connection.wakeReading(waiter);
    }

    // The sender.

    /** Encodes {@code submission} and gives it a slot; false if it has ended meanwhile. */
    boolean append(Submission submission) {
        assert owner.somebodySends() : "sending without the role";
        if (!submission.encode(writer)) {
            return false;
        }
        long sequence = appended.getPlain();
        int slot = (int) sequence & mask;
        int block = slot / BLOCK;
        boolean first = slot % BLOCK == 0;
        deadlines.set(
                block, first ? submission.deadlineNanos : earlier(deadlines.get(block), submission.deadlineNanos));
        ring.setRelease(slot, submission);
        appended.set(sequence + 1);
        return true;
    }

    /** Has everything that was appended ready to go. */
    void publish() {
        writer.close();
    }

    /** One write. Returns false if the operating system takes nothing now. */
    boolean sendSome() throws IOException {
        assert owner.somebodySends() : "sending without the role";
        Events.Batch batch = new Events.Batch();
        batch.begin();
        int taken = chain.sendSome(transport);
        if (batch.shouldCommit()) {
            batch.connection = owner.name();
            batch.bytes = taken;
            batch.onTheWire = onTheWire();
            batch.commit();
        }
        return taken > 0;
    }

    void awaitWritable() throws IOException {
        transport.awaitWritable();
    }

    /** Waits until the reader has left, so that no reply can come any more. */
    void awaitEnd() {
        connection.awaitEnd();
    }

    /** After {@link #awaitEnd}: why the wire has ended. */
    String cause() {
        return connection.cause();
    }

    /** After {@link #awaitEnd}: shows what was not answered, oldest first, and lets go of what {@code taker} takes. */
    void takeUnanswered(Predicate<Submission> taker) {
        for (long sequence = answering; sequence < appended.get(); sequence++) {
            take((int) sequence & mask, taker);
        }
    }

    /** After {@link #awaitEnd}: gives away what was not answered, newest first. */
    void takeUnansweredFromLast(Consumer<Submission> taker) {
        for (long sequence = appended.get() - 1; sequence >= answering; sequence--) {
            take((int) sequence & mask, submission -> {
                taker.accept(submission);
                return true;
            });
        }
    }

    private void take(int slot, Predicate<Submission> taker) {
        Submission submission = ring.get(slot);
        if (submission != null && taker.test(submission)) {
            ring.set(slot, null);
        }
    }

    /** Whether it was of any use: something was answered. */
    boolean answeredSomething() {
        return answering > 0;
    }

    // The reader.

    @Override
    public boolean reply(Reply reply) {
        assert connection.reading().isMine() : "a reply on a thread without the reading role";
        Fused fused = writer.runs().take(repliesTaken);
        return fused == null ? deliver(reply) : divide(fused, reply);
    }

    /** Gives each command of {@code fused} its part. */
    private boolean divide(Fused fused, Reply whole) {
        if (!kinds.accept(fused, whole)) {
            end("a fused command was answered by something else");
            return false;
        }
        fused.divide(whole, parts);
        boolean delivered = true;
        for (int i = 0; i < fused.commands(); i++) {
            delivered &= deliver(parts[i]);
            parts[i] = Reply.Null.NULL;
        }
        return delivered;
    }

    private boolean deliver(Reply reply) {
        repliesTaken++;
        int slot = (int) answering & mask;
        Submission submission = ring.getAcquire(slot);
        if (submission == null) {
            return false;
        }
        if (submission.reply(reply, tally)) {
            finished.add(submission);
            ring.setRelease(slot, null);
            answering++;
            if (!submission.keepsItsPlace()) {
                costToRelease += submission.cost;
            }
        }
        return true;
    }

    @Override
    public boolean batchEnd() {
        tally.moveTo(owner.counters());
        replied.set(answering);
        long cost = costToRelease;
        costToRelease = 0;
        owner.release(cost);
        if (!finished.isEmpty()) {
            announceFinished();
        }
        return false;
    }

    private void announceFinished() {
        if (crowded != finished.size() > 1) {
            crowded = !crowded;
        }
        Thread only = finished.getFirst().waiter();
        for (int i = 0; i < finished.size(); i++) {
            Submission submission = finished.get(i);
            if (only != null && !only.equals(submission.waiter())) {
                only = null;
            }
            submission.announce();
        }
        finished.clear();
        if (transport.isNonBlocking()) {
            connection.reading().served(only);
        }
    }

    @Override
    public boolean expectsReplies() {
        return owner.hasInFlight();
    }

    @Override
    public void leftToCaller() {
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

    // The timekeeper.

    /**
     * Gives the reading role to the reader if a lone caller has it at its disposal and does not use it.
     *
     * @return whether there was something unread, so that it is too early to say that something is overdue
     */
    boolean callReaderIfUnused() {
        ReadingRole reading = connection.reading();
        boolean unused = reading.unusedSince();
        boolean unread = reading.isFree() && !idle();
        if (unused || unread) {
            reading.callReader();
        }
        return unread;
    }

    boolean callerMayRead() {
        return connection.reading().isFree();
    }

    /** Ends what is overdue, and the wire if it hangs. */
    void expire(long now) {
        long end = appended.get();
        for (long sequence = replied.get(); sequence < end; ) {
            long nextBlock = (sequence / BLOCK + 1) * BLOCK;
            if (deadlines.get((int) (sequence & mask) / BLOCK) - now <= 0) {
                expire(sequence, Math.min(nextBlock, end), now);
            }
            sequence = nextBlock;
        }
    }

    private void expire(long from, long to, long now) {
        for (long sequence = from; sequence < to; sequence++) {
            // A slot may have been answered and filled again meanwhile: whichever it is knows its own deadline.
            Submission submission = ring.getAcquire((int) sequence & mask);
            if (submission != null && now - submission.deadlineNanos >= 0) {
                owner.expire(submission);
                endIfHung(submission, now);
            }
        }
    }

    private void endIfHung(Submission submission, long now) {
        // What one caller asks of a single command is no measure of the connection that all share.
        long limit = Math.max(submission.deadlineNanos - submission.submittedNanos, owner.timeoutNanos());
        long silent = now - connection.lastReadNanos();
        if (now - submission.deadlineNanos > limit && silent > limit) {
            connection.end("the server hangs: nothing read for " + TimeUnit.NANOSECONDS.toMillis(silent)
                    + " ms while a reply was due");
        }
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
