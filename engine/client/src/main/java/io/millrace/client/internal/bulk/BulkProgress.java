// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the progress of the owner of a bulk connection in three units. A {@linkplain
 * io.millrace.client.internal.fusion.FusedCommand fused command} is one command on the wire and stands for several
 * submitted commands. So commands on the wire and submitted commands are counted separately:
 *
 * <pre>
 *               commands on the wire     submitted commands                bytes
 *   submitted                            submitted()
 *   written     written()                writtenCommands()                 writtenPosition()
 *   replied     BulkReplies.replied()    BulkReplies.repliedCommands()     BulkReplies.repliedPosition()
 *   reported    BulkOutcomes.reported()  BulkOutcomes.reportedCommands()
 * </pre>
 *
 * <p>A command is submitted when it has its permits. A command is written when it has its slot of the ring and its
 * bytes are published to the writer thread. A command of an open batch is submitted and not yet written.
 */
final class BulkProgress {

    /** Number of submitted commands. Written by the owner. */
    private final AtomicLong submitted = new AtomicLong();

    // Written under the fuser's lock, by the owner or the timekeeper.
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong writtenCommands = new AtomicLong();
    private final AtomicLong writtenPosition = new AtomicLong();

    // Used only by the owner: upper bound of the ASKINGs and marks in the ring, and the number of commands on the wire
    // up to
    // and including the last of them.
    private long own;
    private long lastOwn;

    // Called by any thread.

    /** Number of submitted commands. */
    long submitted() {
        return submitted.get();
    }

    /**
     * Number of commands on the wire that are written since the connection was opened. Each of them has filled a slot
     * of the ring.
     */
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

    // Called by the owner.

    /** Number of submitted commands. The owner also writes this number, so the read needs no memory barrier. */
    long submittedByOwner() {
        return submitted.getPlain();
    }

    /** Counts the submitted command with this {@code number}. */
    void submit(long number) {
        submitted.lazySet(number + 1);
    }

    /** Counts an {@code ASKING} or a mark, which was written as the last command. */
    void wroteOwn() {
        own++;
        lastOwn = written.getPlain();
    }

    /** Upper bound of the slots of the ring that {@code ASKING}s and marks occupy. */
    long own() {
        return own;
    }

    /**
     * Returns a closer upper bound than {@link #own()}.
     *
     * @param free number of commands on the wire whose slots are free again
     */
    long own(long free) {
        if (own > 0 && free >= lastOwn) {
            own = 0;
        }
        return own;
    }

    // Called under the lock of the fuser. The fields are written under the same lock, so the reads need no memory
    // barrier.

    long nextToWrite() {
        return written.getPlain();
    }

    long writtenCommandsByWriter() {
        return writtenCommands.getPlain();
    }

    long writtenPositionByWriter() {
        return writtenPosition.getPlain();
    }

    /**
     * Publishes the slot of the command on the wire with this {@code number}. The slot is filled. {@link BulkReplies}
     * may read the slot from now on.
     */
    void written(long number, long commandEnd, long position) {
        written.lazySet(number + 1);
        writtenCommands.lazySet(commandEnd);
        writtenPosition.lazySet(position);
    }
}
