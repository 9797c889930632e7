// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import io.millrace.load.source.SourceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The rows of a load that are done, and the position before which all rows are done.
 *
 * <p>DESIGN. The rows of several connections, and retried rows, get their outcomes out of order. A resumed load must not
 * send a row again without all later rows, because an earlier row could overwrite a later row of its key. So one number
 * describes the rows that are done: all rows before the first row that is not done.
 *
 * <pre>
 *   rows       1 2 3 4 5 6 7 8 9
 *   done       x x x x . x x          the position is after row 4
 *   marks            ^       ^        a position with its digest, every 1,024 rows
 * </pre>
 *
 * <p>The digest of a position is known only while the row is read. So the class keeps a mark every {@value #MARK_ROWS}
 * rows, and the position is the last mark before which all rows are done. The position falls back by so many rows at
 * most. These rows are written again, which changes nothing. Memory: one bit for each row after the first row that is
 * not done. If this row never gets done, the class stops to count.
 *
 * <p>If a failover takes back rows that were done, the position falls back before the first of them. So the class remembers
 * earlier positions. It keeps {@value #MAX_PASSED} of them at most: then each second one of the older half is dropped.
 *
 * <p>Confined to the loading thread, except {@link #position}.
 */
final class AcknowledgedRows implements CheckpointRows {

    /** A digest costs little, so that the number only limits the memory of the marks. */
    static final int MARK_ROWS = 1_024;

    static final int MAX_PASSED = 1_024;

    /** The bits are moved to the front of the set when so many rows at its front are done. */
    private static final int SHIFT_ROWS = 16 * 1_024;

    private final RowDigest digest;
    /** Positions after the current position, in their order. */
    private final ArrayDeque<CheckpointPosition> marks = new ArrayDeque<>();
    /** Positions that were reached, in their order, from the start to the current position. */
    private List<CheckpointPosition> passed = new ArrayList<>();

    /** Bit i stands for the row with the number {@code base + i + 1}. */
    private BitSet done = new BitSet();

    private long base;
    /** Whether a row has ended without being done, so that the position can no longer reach this row. */
    private boolean blocked;

    /** Published for the thread that saves the checkpoint. */
    private volatile CheckpointPosition position;

    /**
     * Continues after rows that an earlier load has done.
     *
     * @param digest digest of these rows
     */
    AcknowledgedRows(RowDigest digest) {
        this.digest = digest;
        this.position = digest.position();
        this.base = digest.rows();
        passed.add(position);
    }

    /**
     * Called when {@code row} was read.
     *
     * @throws SourceException if the source does not number its rows
     */
    @Override
    public void read(Row row) {
        digest.add(row);
        if (row.number() != digest.rows()) {
            throw new SourceException(
                    SourceException.Kind.UNUSABLE,
                    "a checkpoint needs a source that numbers its rows from 1: expected=" + digest.rows() + ", number="
                            + row.number() + ". Load without a checkpoint");
        }
        if (digest.rows() % MARK_ROWS == 0 && !blocked) {
            mark();
        }
    }

    private void mark() {
        marks.add(digest.position());
        advance();
    }

    /** Called when {@code row} has an outcome after which it need not be sent again. */
    @Override
    public void done(Row row) {
        if (!blocked) {
            done.set((int) (row.number() - base - 1));
        }
    }

    /** Called when {@code row} has an outcome after which a resumed load must send it again. */
    @Override
    public void leftOpen() {
        if (!blocked) {
            // The marks before this row can still be reached, but only by rows whose outcomes are still missing. A
            // resumed load sends these rows again.
            advance();
            block();
        }
    }

    private void block() {
        blocked = true;
        marks.clear();
        done = new BitSet();
    }

    @Override
    public void takenBack(long firstRow) {
        while (passed.size() > 1 && passed.getLast().rows() >= firstRow) {
            passed.removeLast();
        }
        position = passed.getLast();
        block();
    }

    /** Called when every row that was read has an outcome. */
    void finished() {
        if (!blocked) {
            mark();
        }
    }

    /** Whether every row that was read is done. */
    boolean areAllDone() {
        return position.rows() == digest.rows();
    }

    /** The position before which all rows are done. Any thread. */
    CheckpointPosition position() {
        return position;
    }

    private void pass(CheckpointPosition reached) {
        passed.add(reached);
        if (passed.size() > MAX_PASSED) {
            List<CheckpointPosition> fewer = new ArrayList<>();
            for (int i = 0; i < passed.size(); i++) {
                if (i >= MAX_PASSED / 2 || i % 2 == 0) {
                    fewer.add(passed.get(i));
                }
            }
            passed = fewer;
        }
    }

    private void advance() {
        int first = done.nextClearBit(0);
        long end = base + first;
        CheckpointPosition reached = null;
        while (!marks.isEmpty() && marks.getFirst().rows() <= end) {
            reached = marks.removeFirst();
            pass(reached);
        }
        if (reached != null) {
            position = reached;
        }
        if (first >= SHIFT_ROWS) {
            done = done.get(first, Math.max(first, done.length()));
            base = end;
        }
    }
}
