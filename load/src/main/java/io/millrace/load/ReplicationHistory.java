// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows that were acknowledged in one replication history, in the order of their marks. A history has one primary at a
 * time. After a failover, the promoted replica begins a new history that continues this one.
 *
 * <p>Keeps about {@value #MAX_MARKS} marks. Above this limit, marks are dropped, the more the older they are. A dropped mark
 * only enlarges the doubt, by a {@value #RESOLUTION}th at most: its rows count as those of the next mark. So the number of
 * marks grows with the logarithm of the time.
 *
 * <p>Confined to the loading thread.
 */
final class ReplicationHistory {

    /** An hour of marks, one every 100 ms, needs half of this number. */
    static final int MAX_MARKS = 1_024;

    /** Up to two times this number of marks, none is dropped. */
    private static final int RESOLUTION = 64;

    private final Consumer<MarkedRows> takenBack;

    /** Rows in ascending order of their offsets. */
    private List<MarkedRows> marks = new ArrayList<>();

    /** The history that continues this one; null if there is none. */
    private @Nullable ReplicationHistory successor;

    /** First offset of this history that is not part of {@link #successor}. */
    private long end;

    private boolean isNew = true;

    /** Number of open connections to the server whose history this is. */
    private int connections;

    /** Whether a connection to the server was lost, and no other connection was opened since. */
    private boolean isLost;

    /**
     * Creates a history without rows.
     *
     * @param takenBack receives rows that the next history may not have
     */
    ReplicationHistory(Consumer<MarkedRows> takenBack) {
        this.takenBack = takenBack;
    }

    /**
     * A connection to the server is open.
     *
     * @param offset offset of the first mark
     */
    void connected(long offset) {
        if (isNew) {
            isNew = false;
            add(MarkedRows.ofEarlierLoads(offset));
        }
        connections++;
        isLost = false;
    }

    /**
     * A connection is closed, or its server has another history now.
     *
     * @param lost whether the connection was lost
     */
    void disconnected(boolean lost) {
        connections--;
        isLost |= lost;
    }

    /** Whether rows depend on this history, although no connection to its server is open. */
    boolean isUnsettled() {
        return connections == 0 && successor == null && !marks.isEmpty();
    }

    /** Whether this is so, and the last connection was lost. */
    boolean isLost() {
        return isLost && isUnsettled();
    }

    /** Adds acknowledged rows that end with a mark. If another history continues this one, adds the rows to that history. */
    void add(MarkedRows rows) {
        if (rows.isEmpty()) {
            return;
        }
        ReplicationHistory next = successor;
        if (next == null) {
            int at = marks.size();
            while (at > 0 && marks.get(at - 1).offset() > rows.offset()) {
                at--;
            }
            marks.add(at, rows);
            thinOut();
        } else if (rows.offset() < end) {
            next.add(rows);
        } else {
            takenBack.accept(rows);
        }
    }

    /** Drops marks that are near to the next mark, compared with their age. */
    private void thinOut() {
        if (marks.size() <= MAX_MARKS) {
            return;
        }
        List<MarkedRows> newestFirst = new ArrayList<>();
        long newer = 0;
        MarkedRows group = marks.getLast();
        for (int i = marks.size() - 2; i >= 0; i--) {
            MarkedRows older = marks.get(i);
            if ((older.marks() + group.marks()) * RESOLUTION <= newer) {
                older.merge(group);
            } else {
                newestFirst.add(group);
                newer += group.marks();
            }
            group = older;
        }
        newestFirst.add(group);
        if (newestFirst.size() > MAX_MARKS) {
            MarkedRows oldest = newestFirst.removeLast();
            oldest.merge(newestFirst.removeLast());
            newestFirst.add(oldest);
        }
        marks = new ArrayList<>(newestFirst.reversed());
    }

    /**
     * Another history continues this one. It receives the rows below {@code newEnd}, and the other rows are taken back.
     *
     * @param next the history of the promoted replica
     */
    void continuedBy(ReplicationHistory next, long newEnd) {
        if (successor != null) {
            end = Math.min(end, newEnd);
            return;
        }
        successor = next;
        end = newEnd;
        takeAll().forEach(this::add);
    }

    /** The server has begun {@code next} with all data of this history. All rows are before {@code offset} there. */
    void replacedBy(ReplicationHistory next, long offset) {
        for (MarkedRows rows : takeAll()) {
            next.add(rows.marked(offset));
        }
    }

    /** Nothing is known of the rows any more. */
    void takeAllBack() {
        takeAll().forEach(takenBack);
    }

    private List<MarkedRows> takeAll() {
        List<MarkedRows> all = marks;
        marks = new ArrayList<>();
        return all;
    }
}
