// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;
import io.millrace.client.internal.fusion.CommandFuser;
import io.millrace.client.internal.fusion.FusedBatch;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.fusion.FusedCommandQueue;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.SegmentChain;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.resp.RequestEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the commands of submissions into a chain of segments, and fuses the commands where possible. Stores in each
 * submission the positions at which its commands end. Used by the thread that sends; {@link #fusedCommands} is also
 * used by the thread that reads.
 */
final class CommandWriter implements CommandFuser.Receiver {

    private final SegmentChain chain;
    private final RequestEncoder encoder;
    private final CommandFuser commandFuser;
    private final FusedCommandQueue fusedCommands = new FusedCommandQueue();
    private final SharedConnection connection;

    // The unwritten commands, in order. The first array contains the submission of each command, the second array the
    // index of the command in its submission.
    private final @Nullable Submission[] owners = new Submission[FusedBatch.MAX_COMMANDS + 1];
    private final int[] indexes = new int[FusedBatch.MAX_COMMANDS + 1];
    private int unwritten;

    /** Number of commands written so far. Each command of a fused batch counts. */
    private long written;

    CommandWriter(SegmentChain chain, FusibleKinds kinds, SharedConnection connection) {
        this.chain = chain;
        this.encoder = new RequestEncoder(chain);
        this.commandFuser = CommandFuser.forCommands(encoder, kinds, this);
        this.connection = connection;
    }

    /** The fused commands, for the thread that reads. */
    FusedCommandQueue fusedCommands() {
        return fusedCommands;
    }

    /**
     * Writes {@code command}, alone or fused with its neighbours. The command has number {@code index} in {@code
     * owner}.
     */
    void write(Command<?> command, Submission owner, int index) {
        commandFuser.begin(command.spec());
        submit(command, owner, index);
    }

    /**
     * Like {@link #write(Command, Submission, int)}. {@code next} is the command that probably follows. This method uses
     * {@code next} only to decide whether {@code command} is held back.
     */
    void write(Command<?> command, Command<?> next, Submission owner, int index) {
        commandFuser.begin(command.spec(), next.spec());
        submit(command, owner, index);
    }

    /** Writes {@code command} without fusing it. */
    void writeUnfused(Command<?> command, Submission owner, int index) {
        commandFuser.beginUnfused(command.spec());
        submit(command, owner, index);
    }

    private void submit(Command<?> command, Submission owner, int index) {
        command.writeTo(commandFuser);
        commandFuser.end();
        add(owner, index);
        commandFuser.submit();
    }

    /**
     * Writes a command of one word without arguments; {@code encodedName} is a result of {@link
     * RequestEncoder#encodeName}.
     */
    void write(byte[] encodedName, Submission owner, int index) {
        commandFuser.beginUnfused(encodedName, 1);
        commandFuser.end();
        add(owner, index);
        commandFuser.submit();
    }

    /** Writes the commands that are held back for fusion. */
    void close() {
        commandFuser.close();
    }

    private void add(Submission owner, int index) {
        owners[unwritten] = owner;
        indexes[unwritten++] = index;
    }

    @Override
    public void written(@Nullable FusedCommand fusedCommand, int bytes) {
        int commands = 1;
        if (fusedCommand != null) {
            commands = fusedCommand.commands();
            fusedCommands.add(written, fusedCommand);
            connection.counters().countFused(commands);
            FlightRecorderEvents.reportFusedBatch(
                    connection.name(), fusedCommand.kind(), fusedCommand.commands(), bytes);
        }
        written += commands;
        chain.publish(encoder.finishedOffset(), bytes);
        notifyOwners(commands, chain.published());
    }

    /** Does nothing: the exception reaches the sending thread, which ends the wire. */
    @Override
    public void failed() {}

    /**
     * Stores {@code end} as the end position of the next {@code commands} unwritten commands, in their submissions.
     * Afterwards at most one command is unwritten: the first command of a new batch.
     */
    private void notifyOwners(int commands, long end) {
        for (int i = 0; i < commands; i++) {
            Submission owner = owners[i];
            if (owner != null) {
                owner.endsAt(indexes[i], end);
            }
            owners[i] = null;
        }
        int remaining = unwritten - commands;
        for (int i = 0; i < remaining; i++) {
            owners[i] = owners[commands + i];
            indexes[i] = indexes[commands + i];
            owners[commands + i] = null;
        }
        unwritten = remaining;
    }
}
