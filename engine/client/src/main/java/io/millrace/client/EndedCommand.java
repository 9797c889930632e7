// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A command at its end, as a {@link CommandListener} receives it. Valid only during the call of {@link
 * CommandListener#ended}, and only for the thread of this call. Only {@link #outcome} allocates memory.
 *
 * <p>All times are in nanoseconds and have the origin of {@link System#nanoTime}.
 */
public interface EndedCommand {

    /** The kind of an end. The first five kinds are the kinds of {@link Outcome}. */
    enum Kind {
        OK,
        ERROR,
        TIMED_OUT,
        REFUSED,
        LOST,
        /**
         * The waiting thread was interrupted before the command had an outcome. The server may still execute the
         * command, and the stats of the client count its later outcome. The listener does not receive this outcome.
         */
        INTERRUPTED
    }

    /** Name of the command, such as {@code GET}; a transaction has the name {@code EXEC}. */
    String name();

    /** The object that {@link CommandListener#submitted} returned for this command. */
    @Nullable
    Object context();

    /** Host and port of the server, or the path of its Unix socket. */
    String endpoint();

    /** Name of the connection, as in {@link ConnectionStats#name}; empty if the command never had a connection. */
    String connection();

    Kind kind();

    /** The outcome with its reply, error or cause; empty for {@link Kind#INTERRUPTED}. */
    Optional<Outcome> outcome();

    /** Time at which the caller submitted the command. For a pipeline, the time at which its batch was submitted. */
    long submittedNanos();

    /** Whether the command was encoded for a connection. */
    boolean wasSent();

    /**
     * Time at which the client began to encode the group of commands that contains this command, right before their
     * write. If the command was sent again, after a lost connection or a temporary refusal, the time of the last sending. 0 if {@link #wasSent} is false.
     */
    long sentNanos();

    /**
     * Time of the read that contained the reply. For a pipeline, the time of the read with the last reply of the batch.
     * Without a reply, the time at which the waiting or completing thread continued.
     */
    long endedNanos();

    /** Length of the encoded command in bytes. A fused command on the wire is shorter than the sum of its commands. */
    long requestBytes();

    /** Number of lost connections over which the command was sent completely before it was sent again. */
    int lostConnections();

    /** Latency from the submission to the end. Includes the waits for a permit, for a connection and after temporary refusals. */
    default long nanosFromSubmission() {
        return endedNanos() - submittedNanos();
    }

    /** Latency from the (last) sending to the end; 0 if the command was not sent. */
    default long nanosFromSending() {
        return wasSent() ? endedNanos() - sentNanos() : 0;
    }
}
