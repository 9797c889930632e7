// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How far the owner of a bulk connection has come. Progress is counted in three units, because a {@linkplain
 * io.millrace.client.internal.fusion.FusedCommand fused command} is one command on the wire and stands for several
 * submitted commands:
 *
 * <pre>
 *               commands on the wire     submitted commands                bytes
 *   submitted                            submitted()
 *   written     written()                writtenCommands()                 writtenPosition()
 *   replied     BulkReplies.replied()    BulkReplies.repliedCommands()     BulkReplies.repliedPosition()
 *   reported    BulkOutcomes.reported()  BulkOutcomes.reportedCommands()
 * </pre>
 *
 * <p>A command is submitted when it has its permits. It is written when it has its slot of the ring and its bytes are
 * published to the writer thread; a command of an open batch is submitted and not yet written.
 */
final class BulkProgress {

    /** Written by the owner. */
    private final AtomicLong submitted = new AtomicLong();

    // Written under the fuser's lock, by the owner or the timekeeper.
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong writtenCommands = new AtomicLong();
    private final AtomicLong writtenPosition = new AtomicLong();

    // Any thread.

    /** Number of submitted commands. */
    long submitted() {
        return submitted.get();
    }

    /** Number of commands on the wire: the slots of the ring that were filled. */
    long written() {
        return written.get();
    }

    /** Number of submitted commands that are written, alone or fused. */
    long writtenCommands() {
        return writtenCommands.get();
    }

    /** Position in the bytes of the connection at which the last written command ends. */
    long writtenPosition() {
        return writtenPosition.get();
    }

    // The owner.

    /** Number of submitted commands, read without a barrier. */
    long submittedByOwner() {
        return submitted.getPlain();
    }

    /** Counts submitted command {@code number}. */
    void submit(long number) {
        submitted.lazySet(number + 1);
    }

    // Under the fuser's lock; reads need no barrier there.

    long nextToWrite() {
        return written.getPlain();
    }

    long writtenCommandsByWriter() {
        return writtenCommands.getPlain();
    }

    long writtenPositionByWriter() {
        return writtenPosition.getPlain();
    }

    /** Publishes the filled slot of command {@code number} on the wire; {@link BulkReplies} reads the slot from now on. */
    void written(long number, long commandEnd, long position) {
        written.lazySet(number + 1);
        writtenCommands.lazySet(commandEnd);
        writtenPosition.lazySet(position);
    }
}
