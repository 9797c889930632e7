// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows that a server has acknowledged over one connection since the last mark. Confined to the loading thread. */
final class ServerRows {

    private final String server;
    private MarkedRows unmarked = new MarkedRows();

    /** What the last mark said; null before the first mark. */
    private @Nullable ReplicationState state;

    /** The history in {@link #state}; null before the first mark. */
    private @Nullable ReplicationHistory history;

    /** Whether the server refuses marks. */
    private boolean refusesMarks;

    private boolean isClosed;

    ServerRows(String server) {
        this.server = server;
    }

    /** Address of the server. */
    String server() {
        return server;
    }

    /** Adds an acknowledged row. */
    void acknowledged(long row, long line, String file) {
        unmarked.add(row, line, file);
    }

    /** Takes the rows since the last mark, which are before {@code offset}. */
    MarkedRows take(long offset) {
        MarkedRows taken = unmarked.marked(offset);
        unmarked = new MarkedRows();
        return taken;
    }

    /** Records what a mark has said. */
    void marked(ReplicationState newState, ReplicationHistory newHistory) {
        state = newState;
        history = newHistory;
    }

    /** Records that the server refuses marks. */
    void refuseMarks() {
        refusesMarks = true;
    }

    boolean refusesMarks() {
        return refusesMarks;
    }

    Optional<ReplicationState> state() {
        return Optional.ofNullable(state);
    }

    @Nullable
    ReplicationHistory history() {
        return history;
    }

    /** Returns false if the connection was already closed. */
    boolean close() {
        boolean first = !isClosed;
        isClosed = true;
        return first;
    }
}
