// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.client.Fusion;
import io.millrace.resp.RequestEncoder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the commands of a connection, adjacent ones as one where that changes nothing for those who sent them.
 *
 * <pre>
 *   begin(SETBIT) arg arg arg end submit     the first of a run: held
 *   begin(SETBIT) arg arg arg end submit     joins it
 *   begin(GET) arg end submit                closes it: BITFIELD is written, then GET
 *   close                                    closes what is open
 * </pre>
 *
 * <p>DESIGN. The arguments of a command that might be fused are held back until it ends, for only then it is known whether it
 * joins the run that is open. The first of a run is held until a second one comes, or the run is closed: then it is written as
 * it is, byte for byte as without this class. What may not be fused, or is too long to be held, is encoded at once.
 *
 * <p>It belongs to whoever sends. Only {@link #closeIfIdle} may be called by others, so that a run whose sender is away does not
 * stay open. A lock, held for a few steps, is around all that touches an open run; the sender takes it only while there may be
 * one. While a command is encoded at once there is none, and nobody but the sender can open one.
 *
 * <p>If anything fails in here, such as for lack of memory, it is not known any more what was written, and the connection must
 * end: {@link Receiver#broken}.
 */
final class Fuser implements ArgumentSink {

    /** Is told of everything that was written, in order. */
    interface Receiver {

        /**
         * A command is encoded: the last {@code bytes} before {@link RequestEncoder#finished}.
         *
         * @param fused what it stands for; null if it is the next command that was submitted, as it is
         */
        void written(@Nullable Fused fused, int bytes);

        /** Something was not written, or not to its end; what failed is thrown. */
        void broken();
    }

    /** A run is closed before it becomes longer, and what is longer by itself is not held. */
    static final int MOST_BYTES = 8 * 1024;

    private final RequestEncoder encoder;
    private final FusibleKinds kinds;
    private final Receiver receiver;
    private final ShortLock lock = new ShortLock();
    private final Map<Fusion, Run> runs = new EnumMap<>(Fusion.class);

    // The sender's: the command that is being written.
    private @Nullable CommandSpec<?> spec;

    /** What commands of {@link #spec} may be fused as. */
    private @Nullable Fusion kindOfSpec;

    /** The same, or null if the command is encoded at once. */
    private @Nullable Fusion kind;

    private HeldArguments held = new HeldArguments();

    /** What {@link #end} returned, where it was encoded at once. */
    private int encodedBytes;

    /** The sender's: whether it has opened a run and not closed it, which somebody else may have done since. */
    private boolean mayBeOpen;

    // With the lock: the run that is open, of so many commands; none if that is 0.
    private int commands;
    private int runBytes;
    private @Nullable Fusion runOf;
    private @Nullable Fusion runKind;
    private @Nullable CommandSpec<?> runSpec;
    private @Nullable Run run;
    private HeldArguments first = new HeldArguments();

    Fuser(RequestEncoder encoder, FusibleKinds kinds, Receiver receiver) {
        this.encoder = encoder;
        this.kinds = kinds;
        this.receiver = receiver;
    }

    /** Begins a command. What was begun and not submitted is forgotten. */
    void begin(CommandSpec<?> command) {
        if (command != spec) {
            // Not for each of many of the same: what the server refuses meanwhile is found when the next run is opened.
            spec = command;
            kindOfSpec = kindOf(command);
        }
        kind = kindOfSpec;
        if (kind == null) {
            beginAlone(command);
        } else {
            held.clear();
        }
    }

    private @Nullable Fusion kindOf(CommandSpec<?> command) {
        Fusion asked = command.fusion();
        boolean included =
                asked != null && (kinds.include(asked) || (asked == Fusion.SET && kinds.include(Fusion.SET_EXPIRING)));
        return included ? asked : null;
    }

    /** Begins a command that is not to be part of a run, whatever it is. */
    void beginAlone(CommandSpec<?> command) {
        beginAlone(command.encodedName(), command.words());
    }

    /** The same for the words of a name; {@code encodedName} is from {@link RequestEncoder#encodeName}. */
    void beginAlone(byte[] encodedName, int words) {
        close();
        kind = null;
        encoder.begin(encodedName, words);
    }

    @Override
    public Fuser arg(byte[] bytes, int offset, int length) {
        if (sink(length) == held) {
            held.arg(bytes, offset, length);
        } else {
            encoder.arg(bytes, offset, length);
        }
        return this;
    }

    @Override
    public Fuser arg(String text) {
        if (sink(text.length()) == held) {
            held.arg(text);
        } else {
            encoder.arg(text);
        }
        return this;
    }

    @Override
    public Fuser arg(long number) {
        if (sink(0) == held) {
            held.arg(number);
        } else {
            encoder.arg(number);
        }
        return this;
    }

    /** Where an argument of about {@code length} bytes goes: held, or null for the encoder. */
    private @Nullable HeldArguments sink(int length) {
        if (kind == null) {
            return null;
        }
        if (length > MOST_BYTES - held.encodedBytes()) {
            release();
            return null;
        }
        return held;
    }

    /** Encodes what is held of a command that has become too long, and the rest of it from now on. */
    private void release() {
        beginAlone(Objects.requireNonNull(spec));
        held.writeTo(encoder, 0);
    }

    /**
     * Ends the command, which is then to be submitted or withdrawn.
     *
     * @return how many bytes it takes, at most
     */
    int end() {
        encodedBytes = kind == null ? encoder.end() : 0;
        return kind == null
                ? encodedBytes
                : held.encodedBytes() + Objects.requireNonNull(spec).encodedName().length;
    }

    /** Forgets the command that was ended. */
    void withdraw() {
        if (kind == null) {
            encoder.withdraw(encodedBytes);
        }
    }

    /** Submits the command that was ended: it joins the run that is open, or closes it. */
    void submit() {
        if (kind == null) {
            // Its beginning has closed what was open.
            receiver.written(null, encodedBytes);
            return;
        }
        boolean done = false;
        lock.acquire();
        try {
            if (joins()) {
                add();
            } else {
                writeRun();
                open();
            }
            mayBeOpen = true;
            done = true;
        } finally {
            unlock(done);
        }
    }

    private void unlock(boolean done) {
        try {
            if (!done) {
                receiver.broken();
            }
        } finally {
            lock.release();
        }
    }

    private boolean joins() {
        Run current = run;
        return commands > 0
                && kind == runOf
                && current != null
                && commands < Run.MOST_COMMANDS
                && runBytes + held.encodedBytes() <= MOST_BYTES
                && current.takes(held)
                && current.joins(first, held);
    }

    private void add() {
        Run current = Objects.requireNonNull(run);
        if (commands == 1) {
            current.begin(encoder, first);
        }
        current.add(encoder, held);
        commands++;
        runBytes += held.encodedBytes();
    }

    /** Begins a run with the command that was ended; writes it if it cannot be in one. */
    private void open() {
        Fusion shape = shape();
        HeldArguments freed = first;
        first = held;
        held = freed;
        run = shape == null ? null : run(shape);
        runOf = kind;
        runKind = shape;
        runSpec = spec;
        runBytes = first.encodedBytes();
        commands = 1;
        if (shape == null) {
            writeRun();
        }
    }

    /** What kind of run the command can be part of: of two kinds for {@code SET}. Null if of none. */
    private @Nullable Fusion shape() {
        Fusion asked = Objects.requireNonNull(kind);
        if (kinds.include(asked) && run(asked).takes(held)) {
            return asked;
        }
        boolean expiring = asked == Fusion.SET
                && kinds.include(Fusion.SET_EXPIRING)
                && run(Fusion.SET_EXPIRING).takes(held);
        return expiring ? Fusion.SET_EXPIRING : null;
    }

    private Run run(Fusion of) {
        Run there = runs.get(of);
        if (there == null) {
            there = FusionRule.of(of).run().get();
            runs.put(of, there);
        }
        return there;
    }

    /** Writes the run that is open, if one is. */
    void close() {
        if (mayBeOpen) {
            mayBeOpen = false;
            lock.acquire();
            closeAndUnlock();
        }
    }

    /** Any thread: writes the run that is open, unless its sender is about to add to it. */
    void closeIfIdle() {
        if (lock.tryAcquire()) {
            closeAndUnlock();
        }
    }

    private void closeAndUnlock() {
        boolean done = false;
        try {
            writeRun();
            done = true;
        } finally {
            unlock(done);
        }
    }

    /** Forgets the run that is open, if one is: nothing can be sent any more. */
    void abandon() {
        lock.acquire();
        commands = 0;
        lock.release();
    }

    private void writeRun() {
        int closed = commands;
        commands = 0;
        if (closed == 1) {
            CommandSpec<?> single = Objects.requireNonNull(runSpec);
            encoder.begin(single.encodedName(), single.words());
            first.writeTo(encoder, 0);
            receiver.written(null, encoder.end());
        } else if (closed > 1) {
            Split split = Objects.requireNonNull(run).finish(encoder, first);
            receiver.written(new Fused(closed, Objects.requireNonNull(runKind), split), encoder.end());
        }
    }
}
