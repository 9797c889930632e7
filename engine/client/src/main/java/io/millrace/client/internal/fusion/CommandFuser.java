// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.resp.RequestEncoder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the commands of a connection. Fuses adjacent commands into one command, if the callers get the same results
 * as without fusion.
 *
 * <pre>
 *   begin(SETBIT) arg arg arg end submit     the first of a batch: held back
 *   begin(SETBIT) arg arg arg end submit     joins the batch
 *   begin(GET) arg end submit                closes the batch: BITFIELD is written, then GET
 *   close                                    closes the open batch
 * </pre>
 *
 * <p>DESIGN. The arguments of a fusible command are held back until the command ends, because it is not known earlier
 * whether the command joins the open batch. The first command of a batch is held back until a second command joins the
 * batch or the batch is closed. A batch with a single command is written as this command, byte for byte. A command is
 * encoded directly, and not held back, if it is not fusible or too long.
 *
 * <p>The thread that sends uses this class. The fuser of a bulk writer has a lock: other threads may call {@link
 * #closeIfIdle}, which closes the batch if the sender is not adding a command. The lock guards the open batch. It is
 * held for a few steps only, and the sender acquires it only if a batch may be open. While a command is encoded
 * directly, no batch is open. Only the sender can open a batch, so the sender needs no lock then.
 *
 * <p>After a failure in this class, such as a lack of memory, the number of written bytes is unknown. So the connection
 * must end: {@link Receiver#failed}.
 */
public final class CommandFuser implements ArgumentSink {

    /** Receives a notification of each written command, in order. */
    public interface Receiver {

        /**
         * Called after a command was encoded. Its bytes are the last {@code bytes} bytes before {@link
         * RequestEncoder#finishedOffset}.
         *
         * @param fusedCommand the fused command; null if a single submitted command, the next in order, was encoded
         *     unchanged
         */
        void written(@Nullable FusedCommand fusedCommand, int bytes);

        /**
         * Called if a command was not written completely, because of an exception. The caller of the fuser receives
         * this exception.
         */
        void failed();
    }

    /** Maximum bytes of a batch, and of a command that is held back. */
    public static final int MAX_BYTES = 8 * 1024;

    private final RequestEncoder encoder;
    private final FusibleKinds kinds;
    private final Receiver receiver;

    /** Null if only the sender uses this object. */
    private final @Nullable SpinLock lock;

    private final FusedBatches batches;

    // Sender: spec of the command that is being written.
    private @Nullable CommandSpec<?> spec;

    /** The kind of fusion for commands of {@link #spec}; null if they are not fused. */
    private @Nullable Fusion kindOfSpec;

    /** The kind of fusion for the current command; null if the command is encoded directly. */
    private @Nullable Fusion kind;

    private BufferedArguments held;

    /** Result of {@link #end} for a command that was encoded directly. */
    private int encodedBytes;

    /**
     * Sender: whether the sender has opened a batch and not closed it. Even if this is true, another thread may have
     * closed the batch.
     */
    private boolean mayBeOpen;

    // Guarded by the lock, if there is one: the open batch. The first field is its number of commands; 0 if no batch is
    // open.
    private int commands;
    private int batchBytes;
    private @Nullable Fusion requestedKind;
    private @Nullable Fusion batchKind;
    private @Nullable CommandSpec<?> batchSpec;
    private @Nullable FusedBatch fusedBatch;
    private int batchSlot;
    private BufferedArguments first;

    private CommandFuser(
            RequestEncoder encoder, FusibleKinds kinds, Receiver receiver, @Nullable SpinLock lock, boolean copies) {
        this.encoder = encoder;
        this.kinds = kinds;
        this.batches = new FusedBatches(kinds);
        this.receiver = receiver;
        this.lock = lock;
        this.held = new BufferedArguments(copies);
        this.first = new BufferedArguments(copies);
    }

    /** Creates a fuser whose sender may change the array of an argument after it has passed the argument. */
    public static CommandFuser forBulk(RequestEncoder encoder, FusibleKinds kinds, Receiver receiver) {
        return new CommandFuser(encoder, kinds, receiver, new SpinLock(), true);
    }

    /**
     * Creates a fuser for {@link io.millrace.client.command.Command} objects. Their arguments do not change before {@link
     * Receiver#written} is called for them, or the connection has ended. So this object does not copy the arguments of a
     * command that is held back. Only the sender uses this object.
     */
    public static CommandFuser forCommands(RequestEncoder encoder, FusibleKinds kinds, Receiver receiver) {
        return new CommandFuser(encoder, kinds, receiver, null, false);
    }

    /**
     * Begins a command that {@code next} will probably follow. The command is encoded directly if it can be fused
     * neither with the open batch nor with {@code next}. Not for bulk: this method reads the open batch without the lock.
     */
    public void begin(CommandSpec<?> command, CommandSpec<?> next) {
        if (command.fusion() == next.fusion() || (mayBeOpen && commands > 0 && requestedKind == command.fusion())) {
            begin(command);
        } else {
            beginUnfused(command);
        }
    }

    /** Begins a command. An earlier command that was begun and not submitted is dropped. */
    public void begin(CommandSpec<?> command) {
        chooseKind(command);
        if (kind == null) {
            beginUnfused(command);
        }
    }

    private void chooseKind(CommandSpec<?> command) {
        if (command != spec) {
            // The server may refuse this kind later. So the kind is checked again when a batch is opened.
            spec = command;
            kindOfSpec = kinds.kindOf(command);
        }
        kind = kindOfSpec;
        if (kind != null) {
            held.clear();
        }
    }

    /** Begins a command that is never fused. */
    public void beginUnfused(CommandSpec<?> command) {
        beginUnfused(command.encodedName(), command.words());
    }

    /**
     * Begins a command that is never fused. {@code encodedName} is a result of {@link RequestEncoder#encodeName}, and
     * {@code words} is the number of words in the name.
     */
    public void beginUnfused(byte[] encodedName, int words) {
        close();
        kind = null;
        encoder.begin(encodedName, words);
    }

    /**
     * Begins and ends a command that is encoded already: {@code length} bytes from {@code offset}. The caller must then submit
     * the command or withdraw it.
     *
     * @return the maximum length of the command in bytes
     */
    public int encoded(CommandSpec<?> command, byte[] bytes, int offset, int length) {
        chooseKind(command);
        if (kind == null) {
            close();
            encoder.command(bytes, offset, length);
            encodedBytes = length;
            return length;
        }
        EncodedCommand.arguments(command, bytes, offset, offset + length, this);
        return end();
    }

    @Override
    public CommandFuser arg(byte[] bytes, int offset, int length) {
        if (sink(length) == held) {
            held.arg(bytes, offset, length);
        } else {
            encoder.arg(bytes, offset, length);
        }
        return this;
    }

    @Override
    public CommandFuser arg(String text) {
        if (sink(text.length()) == held) {
            held.arg(text);
        } else {
            encoder.arg(text);
        }
        return this;
    }

    @Override
    public CommandFuser arg(long number) {
        if (sink(0) == held) {
            held.arg(number);
        } else {
            encoder.arg(number);
        }
        return this;
    }

    /** Returns the buffer for an argument of about {@code length} bytes; null if the argument is encoded directly. */
    private @Nullable BufferedArguments sink(int length) {
        if (kind == null) {
            return null;
        }
        if (length > MAX_BYTES - held.encodedBytes()) {
            encodeHeld();
            return null;
        }
        return held;
    }

    /**
     * Encodes the buffered arguments of a command that has become too long for the buffer. The remaining arguments of
     * the command are not buffered.
     */
    private void encodeHeld() {
        beginUnfused(Objects.requireNonNull(spec));
        held.writeTo(encoder, 0);
    }

    /**
     * Ends the command. The caller must then submit the command or withdraw it.
     *
     * @return the maximum length of the command in bytes
     */
    public int end() {
        encodedBytes = kind == null ? encoder.end() : 0;
        return kind == null
                ? encodedBytes
                : held.encodedBytes() + Objects.requireNonNull(spec).encodedName().length;
    }

    /** Drops the command that was ended. */
    public void withdraw() {
        if (kind == null) {
            encoder.withdraw(encodedBytes);
        }
    }

    /** Submits the command that was ended. The command joins the open batch, or closes that batch. */
    public void submit() {
        if (kind == null) {
            // The method that began this command has already closed the open batch.
            receiver.written(null, encodedBytes);
            return;
        }
        boolean done = false;
        lock();
        try {
            if (joins()) {
                add();
            } else {
                writeBatch();
                open();
            }
            mayBeOpen = true;
            done = true;
        } finally {
            unlock(done);
        }
    }

    private void lock() {
        if (lock != null) {
            lock.acquire();
        }
    }

    private void unlock(boolean done) {
        try {
            if (!done) {
                receiver.failed();
            }
        } finally {
            if (lock != null) {
                lock.release();
            }
        }
    }

    private boolean joins() {
        FusedBatch current = fusedBatch;
        return commands > 0
                && kind == requestedKind
                && current != null
                && commands < FusedBatch.MAX_COMMANDS
                && batchBytes + current.addedBytes(held) <= MAX_BYTES
                && current.accepts(held)
                && current.canFollow(first, held)
                && current.fitsSlot(batchSlot, held);
    }

    private void add() {
        FusedBatch current = Objects.requireNonNull(fusedBatch);
        if (commands == 1) {
            current.begin(encoder, first);
        }
        current.add(encoder, held);
        commands++;
        batchBytes += current.addedBytes(held);
    }

    /**
     * Opens a batch with the command that was ended. If the command cannot be part of any batch, writes the command
     * instead.
     */
    private void open() {
        Fusion newKind = batches.kindFor(Objects.requireNonNull(kind), held);
        BufferedArguments reused = first;
        first = held;
        held = reused;
        fusedBatch = newKind == null ? null : batches.of(newKind);
        batchSlot = fusedBatch == null || !kinds.oneSlot() ? FusedBatch.ANY_SLOT : fusedBatch.hashSlot(first);
        requestedKind = kind;
        batchKind = newKind;
        batchSpec = spec;
        batchBytes = first.encodedBytes();
        commands = 1;
        if (newKind == null) {
            writeBatch();
        }
    }

    /** Writes the open batch, if any. */
    public void close() {
        if (mayBeOpen) {
            mayBeOpen = false;
            lock();
            closeAndUnlock();
        }
    }

    /** Any thread, only for bulk: writes the open batch, if any, unless the sender holds the lock to add a command. */
    public void closeIfIdle() {
        if (Objects.requireNonNull(lock).tryAcquire()) {
            closeAndUnlock();
        }
    }

    private void closeAndUnlock() {
        boolean done = false;
        try {
            writeBatch();
            done = true;
        } finally {
            unlock(done);
        }
    }

    /** Drops the open batch, if any, because nothing can be sent any more. */
    public void abandon() {
        lock();
        commands = 0;
        unlock(true);
    }

    private void writeBatch() {
        int closed = commands;
        commands = 0;
        if (closed == 1) {
            CommandSpec<?> single = Objects.requireNonNull(batchSpec);
            encoder.begin(single.encodedName(), single.words());
            first.writeTo(encoder, 0);
            receiver.written(null, encoder.end());
        } else if (closed > 1) {
            ReplySplitter replySplitter = Objects.requireNonNull(fusedBatch).finish(encoder, first);
            receiver.written(new FusedCommand(closed, Objects.requireNonNull(batchKind), replySplitter), encoder.end());
        }
    }
}
