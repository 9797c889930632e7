// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import java.util.concurrent.TimeUnit;

/**
 * The state of a connection when a command failed, for the message and for the Flight Recorder event.
 *
 * @param endpoint {@code host:port} or the path of a Unix socket
 * @param connection name of the connection
 * @param phase progress of the command: one of the constants below
 * @param inFlight number of commands in flight
 * @param limit maximum number of commands in flight
 * @param bytesInFlight number of bytes in flight
 * @param unsent number of encoded bytes that the operating system has not accepted
 * @param waiting number of callers that wait for a permit
 * @param lastReadAgoNanos time since the last bytes were read
 */
public record ConnectionState(
        String endpoint,
        String connection,
        String phase,
        int inFlight,
        int limit,
        long bytesInFlight,
        long unsent,
        int waiting,
        long lastReadAgoNanos) {

    /** The command has no permit of the window. */
    public static final String WAITING_FOR_A_PERMIT = "waiting for a permit";

    /** The maximum number of callbacks is running, and more are due; so the command has no permit. */
    public static final String WAITING_FOR_CALLBACKS = "waiting for callbacks";

    /** The connection was lost and is not replaced yet. */
    public static final String NOT_CONNECTED = "not connected";

    /** The operating system has not accepted all bytes of the command. */
    public static final String QUEUED = "queued";

    /** The operating system has accepted all bytes of the command. */
    public static final String SENT = "sent";

    /** Returns the state for a message, as {@code name=value, ...}. */
    public String text() {
        return "endpoint=" + endpoint + ", connection=" + connection + ", phase=" + phase + ", inFlight=" + inFlight
                + ", limit=" + limit + ", bytesInFlight=" + bytesInFlight + ", unsent=" + unsent + ", waiting="
                + waiting + ", lastReadAgo=" + TimeUnit.NANOSECONDS.toMillis(lastReadAgoNanos) + " ms";
    }
}
