// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.connect.PrimarySearch;
import io.millrace.client.internal.connect.Reconnector;
import org.jspecify.annotations.Nullable;

/** What a connection knows about the role of its server, and its search for a primary. Thread-safe. */
public final class PrimaryWatch {

    private final Reconnector reconnector;

    /** Null for a dedicated connection, which uses a single wire. */
    private final @Nullable PrimarySearch search;

    /** Whether the server has answered {@code READONLY}. Written by the reader; any thread reads. */
    private volatile boolean answeredReadOnly;

    PrimaryWatch(Reconnector reconnector, @Nullable PrimarySearch search) {
        this.reconnector = reconnector;
        this.search = search;
    }

    /**
     * Reader: the server has answered {@code READONLY}. Returns whether the refused command may be sent again: only over
     * a shared connection, which changes to a primary.
     */
    boolean readOnly() {
        answeredReadOnly = true;
        return search != null && search.readOnly();
    }

    public boolean hasAnsweredReadOnly() {
        return answeredReadOnly;
    }

    /** Any thread: a Sentinel has named another server than that of the current wire. */
    void moved() {
        if (search != null) {
            search.moved();
        }
    }

    /** Writer: the connection to a primary is in use, or was closed. */
    void successorUsed() {
        if (search != null) {
            search.used();
        }
    }

    /** Any thread: whether any wire was to a server that was not a replica. */
    public boolean hadPrimary() {
        return reconnector.hadPrimary();
    }

    /** Any thread: why the connection was never open; null if it was open, or if no attempt has failed so far. */
    @Nullable
    String failureToConnect() {
        return reconnector.wasConnected() || reconnector.lastFailure().isEmpty() ? null : reconnector.lastFailure();
    }

    void close() {
        if (search != null) {
            search.close();
        }
    }
}
