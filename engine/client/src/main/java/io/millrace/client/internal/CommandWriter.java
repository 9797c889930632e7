// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.resp.RequestEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the commands of submissions into a chain of segments, fusing what may be fused, and tells each submission where its
 * commands end once that is known. Belongs to whoever sends; what it knows of runs is for whoever reads.
 */
final class CommandWriter implements Fuser.Receiver {

    private final SegmentChain chain;
    private final RequestEncoder encoder;
    private final Fuser fuser;
    private final FusedRuns runs = new FusedRuns();
    private final SharedConnection connection;

    // Of the commands that are not written yet, in order: whose they are, and which of theirs.
    private final @Nullable Submission[] owners = new Submission[Run.MOST_COMMANDS + 1];
    private final int[] indexes = new int[Run.MOST_COMMANDS + 1];
    private int unwritten;

    /** How many replies are owed to everything written so far, each command of a run counted as one. */
    private long written;

    CommandWriter(SegmentChain chain, FusibleKinds kinds, SharedConnection connection) {
        this.chain = chain;
        this.encoder = new RequestEncoder(chain);
        this.fuser = new Fuser(encoder, kinds, this);
        this.connection = connection;
    }

    /** What was fused, for whoever reads. */
    FusedRuns runs() {
        return runs;
    }

    /** Writes {@code command}, alone or with its neighbours: it is command {@code index} of {@code owner}. */
    void write(Command<?> command, Submission owner, int index) {
        fuser.begin(command.spec());
        submit(command, owner, index);
    }

    /** Writes {@code command} as it is. */
    void writeAlone(Command<?> command, Submission owner, int index) {
        fuser.beginAlone(command.spec());
        submit(command, owner, index);
    }

    private void submit(Command<?> command, Submission owner, int index) {
        command.writeTo(fuser);
        fuser.end();
        add(owner, index);
        fuser.submit();
    }

    /** Writes a command of one word without arguments; {@code encodedName} is from {@link RequestEncoder#encodeName}. */
    void write(byte[] encodedName, Submission owner, int index) {
        fuser.beginAlone(encodedName, 1);
        fuser.end();
        add(owner, index);
        fuser.submit();
    }

    /** Writes what is held back. */
    void close() {
        fuser.close();
    }

    private void add(Submission owner, int index) {
        owners[unwritten] = owner;
        indexes[unwritten++] = index;
    }

    @Override
    public void written(@Nullable Fused fused, int bytes) {
        int commands = 1;
        if (fused != null) {
            commands = fused.commands();
            runs.add(written, fused);
            connection.counters().fused(commands);
            Events.FusedRun.report(connection.name(), fused, bytes);
        }
        written += commands;
        chain.publish(encoder.finished(), bytes);
        tellOwners(commands, chain.published());
    }

    /** Whoever sends learns of it by what is thrown, and ends the wire. */
    @Override
    public void broken() {}

    /** Tells those who own the next {@code commands} where these end; one at most is left, which begins a run. */
    private void tellOwners(int commands, long end) {
        for (int i = 0; i < commands; i++) {
            Submission owner = owners[i];
            if (owner != null) {
                owner.endsAt(indexes[i], end);
            }
            owners[i] = null;
        }
        int left = unwritten - commands;
        for (int i = 0; i < left; i++) {
            owners[i] = owners[commands + i];
            indexes[i] = indexes[commands + i];
            owners[commands + i] = null;
        }
        unwritten = left;
    }
}
