// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.Credentials;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.internal.fusion.CommandFuser;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.Outbox;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of a bulk connection. Encodes and fuses the owner's commands, gives each command on the wire its
 * slot of the {@link BulkRing}, and publishes its bytes.
 *
 * <p>Used by the owner. The timekeeper also closes a fused batch that the owner leaves open. So {@link #written} runs
 * on the thread of the owner or of the timekeeper, under the lock of the {@linkplain CommandFuser fuser}. The owner
 * later reads the values that {@code written} has stored.
 */
final class BulkOutput implements CommandFuser.Receiver, ArgumentSink {

    /** Value of {@link #spec} before the first command. */
    static final CommandSpec<Reply> NO_COMMAND = CommandSpec.of("NOTHING", Replies::raw);

    /** Spec of the {@code AUTH} of a renewed login. It stands for no submitted command. */
    static final CommandSpec<Reply> LOGIN = CommandSpec.of("AUTH", Replies::raw);

    /** Spec of the {@code PING} of a {@link BulkPause}. It stands for no submitted command. */
    static final CommandSpec<Reply> PING = CommandSpec.of("PING", Replies::raw);

    /** Spec of the {@code ASKING} before a command. It stands for no submitted command. */
    static final CommandSpec<Reply> ASKING = CommandSpec.of("ASKING", Replies::raw);

    /** Spec of the {@code INFO} of a mark. It stands for no submitted command. */
    static final CommandSpec<Reply> MARK = CommandSpec.of("INFO", Replies::raw);

    private final Outbox outbox;
    private final RequestEncoder encoder;
    private final CommandFuser commandFuser;
    private final BulkRing ring;
    private final BulkProgress progress;
    private final BulkDeadlines deadlines;
    private final StatsCounter stats;
    private final Consumer<String> endConnection;

    /** Spec of the last command that was begun, and of all commands of the open batch. */
    private CommandSpec<?> spec = NO_COMMAND;

    /**
     * Deadline of a command that has waited for permits; 0 for all other commands. A command that has waited is not
     * fused, because its timeout started before the wait.
     */
    private long waiterDeadline;

    private final AtomicLong lastWriteNanos = new AtomicLong();

    /**
     * Creates the writing side.
     *
     * @param endConnection ends the connection for the given cause
     */
    BulkOutput(
            BulkRing ring,
            BulkProgress progress,
            BulkDeadlines deadlines,
            FusibleKinds kinds,
            StatsCounter stats,
            LongSupplier clock,
            Consumer<String> endConnection) {
        this.ring = ring;
        this.progress = progress;
        this.deadlines = deadlines;
        this.stats = stats;
        this.endConnection = endConnection;
        this.outbox = new Outbox(clock);
        this.encoder = new RequestEncoder(outbox);
        this.commandFuser = CommandFuser.forBulk(encoder, kinds, this);
    }

    // Called by the owner.

    void begin(CommandSpec<?> command) {
        use(command);
        commandFuser.begin(command);
    }

    private void use(CommandSpec<?> command) {
        if (command != spec) {
            // All commands of a fused batch are reported with the same spec. So a new spec closes the open batch.
            commandFuser.close();
            spec = command;
        }
    }

    /**
     * Begins and ends a command that is encoded already. Returns the maximum number of bytes that the command has on the
     * wire.
     */
    int encoded(CommandSpec<?> command, byte[] bytes, int offset, int length) {
        use(command);
        return commandFuser.encoded(command, bytes, offset, length);
    }

    @Override
    public BulkOutput arg(byte[] bytes, int offset, int length) {
        commandFuser.arg(bytes, offset, length);
        return this;
    }

    @Override
    public BulkOutput arg(String text) {
        commandFuser.arg(text);
        return this;
    }

    @Override
    public BulkOutput arg(long number) {
        commandFuser.arg(number);
        return this;
    }

    /** Ends the command. Returns the maximum number of bytes that the command has on the wire. */
    int end() {
        return commandFuser.end();
    }

    /** Writes the ended command, or holds it back in the open batch. */
    void submit() {
        commandFuser.submit();
    }

    /** Records that the ended command waits for permits, until {@code deadline} at the latest. */
    void startWaiting(long deadline) {
        waiterDeadline = deadline;
    }

    /** Writes a command that has waited for permits. The command is not fused. */
    void submitAfterWait() {
        commandFuser.submit();
        commandFuser.close();
        waiterDeadline = 0;
    }

    /** Withdraws an ended command that has waited for permits and did not obtain them. */
    void withdrawAfterWait() {
        waiterDeadline = 0;
        commandFuser.withdraw();
    }

    /** Returns whether the client itself sends the commands with this spec. They stand for no submitted command. */
    static boolean isOwn(CommandSpec<?> command) {
        return command == LOGIN || command == PING || command == ASKING || command == MARK;
    }

    /** Writes the {@code AUTH} of a renewed login. The ring must have a free slot. */
    void login(Credentials credentials) {
        commandFuser.beginUnfused(LOGIN);
        credentials.user().ifPresent(commandFuser::arg);
        commandFuser.arg(credentials.password().orElseThrow());
        submitOwn(LOGIN);
    }

    /** Writes a {@code PING}. The ring must have a free slot. */
    void ping() {
        commandFuser.beginUnfused(PING);
        submitOwn(PING);
    }

    /** Writes an {@code ASKING} for the next command. The ring must have a free slot. */
    void asking() {
        commandFuser.beginUnfused(ASKING);
        submitOwn(ASKING);
        progress.wroteOwn();
    }

    /** Writes a mark, which asks how far the replication has come. The ring must have a free slot. */
    void mark() {
        commandFuser.beginUnfused(MARK);
        commandFuser.arg("replication");
        submitOwn(MARK);
        progress.wroteOwn();
    }

    private void submitOwn(CommandSpec<?> own) {
        CommandSpec<?> before = spec;
        commandFuser.end();
        spec = own;
        commandFuser.submit();
        spec = before;
    }

    /** Writes the open batch, if any. */
    void closeBatch() {
        commandFuser.close();
    }

    /** Drops the open batch, because nothing can be sent any more. */
    void abandon() {
        commandFuser.abandon();
    }

    /** Spec of the last command that was begun. */
    CommandSpec<?> spec() {
        return spec;
    }

    /** Returns the buffer of bytes between the owner and the writer thread. */
    Outbox outbox() {
        return outbox;
    }

    /** Time of the last write to the outbox. */
    long lastWriteNanos() {
        return lastWriteNanos.get();
    }

    // Called by the timekeeper.

    /**
     * Writes the open batch if the owner is not adding to it. Then requests that the writer thread sends all written
     * bytes.
     */
    void flushIdle() {
        commandFuser.closeIfIdle();
        outbox.requestStale();
    }

    // Called by the fuser, under its lock.

    @Override
    public void written(@Nullable FusedCommand fusedCommand, int bytes) {
        int commands = isOwn(spec) ? 0 : 1;
        if (fusedCommand != null) {
            commands = fusedCommand.commands();
            stats.countFused(commands);
            FlightRecorderEvents.reportFusedBatch(BulkConnection.NAME, fusedCommand.kind(), commands, bytes);
        }
        long number = progress.nextToWrite();
        long position = progress.writtenPositionByWriter() + bytes;
        long commandEnd = progress.writtenCommandsByWriter() + commands;
        long now = deadlines.now();
        long deadline = waiterDeadline == 0 ? deadlines.after(now) : waiterDeadline;
        ring.fill(number, spec, fusedCommand, position, commandEnd, deadline);
        progress.written(number, commandEnd, position);
        lastWriteNanos.lazySet(now);
        outbox.publish(encoder.finishedOffset(), bytes);
    }

    @Override
    public void failed() {
        endConnection.accept("a command could not be written completely");
    }
}
