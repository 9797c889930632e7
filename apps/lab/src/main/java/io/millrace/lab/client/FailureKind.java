// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The outcome of a command that did not succeed. */
public enum FailureKind {
    /** The server answered with an error. */
    ERROR,
    /** A time limit passed. */
    TIMED_OUT,
    /** The client did not send the command, because too many commands were waiting. */
    REFUSED,
    /** The connection was lost. */
    LOST;

    private static final List<String> TIMED_OUT_NAMES = List.of("TimedOut", "Timeout");
    private static final List<String> REFUSED_NAMES = List.of("Refused", "Rejected", "QueueFull");
    private static final List<String> LOST_NAMES =
            List.of("Connect", "Reconnected", "Closed", "Closing", "Cancellation", "NodeNotFound", "Shutdown");

    /** Messages of Lettuce, GLIDE and Vert.x, which have no exception for a full queue. */
    private static final List<String> REFUSED_TEXTS =
            List.of("size exceeded", "maximum inflight requests", "waiting queue is full");

    /** Messages of Lettuce and Vert.x, which have no exception for a connection that closes. */
    private static final List<String> LOST_TEXTS = List.of(
            "Connection closed",
            "Connection is closed",
            "Connection was closed",
            "CONNECTION_CLOSED",
            "CLIENT_CLOSED",
            "ClosedChannelException");

    /**
     * Finds the kind in the names and the messages of the exception and its causes. A timeout anywhere in the chain
     * decides, because libraries wrap a read timeout in an exception about the connection.
     */
    public static FailureKind of(Throwable failure) {
        var chain =
                Stream.iterate(failure, Objects::nonNull, Throwable::getCause).toList();
        if (matches(chain, TIMED_OUT_NAMES, List.of())) {
            return TIMED_OUT;
        }
        if (matches(chain, REFUSED_NAMES, REFUSED_TEXTS)) {
            return REFUSED;
        }
        boolean lost = chain.stream().anyMatch(IOException.class::isInstance);
        return lost || matches(chain, LOST_NAMES, LOST_TEXTS) ? LOST : ERROR;
    }

    private static boolean matches(List<Throwable> chain, List<String> names, List<String> texts) {
        return chain.stream().anyMatch(failure -> {
            String name = failure.getClass().getSimpleName();
            String message = String.valueOf(failure.getMessage());
            return names.stream().anyMatch(name::contains) || texts.stream().anyMatch(message::contains);
        });
    }
}
