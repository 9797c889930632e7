// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Predicate;
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

    /**
     * Guesses the kind from the names of the exception and its causes. A timeout anywhere in the chain decides, because
     * libraries wrap a read timeout in an exception about the connection. Libraries whose names do not tell have a
     * separate function.
     */
    public static FailureKind of(Throwable failure) {
        if (hasCause(failure, cause -> isNamed(cause, "TimedOut", "Timeout"))) {
            return TIMED_OUT;
        }
        if (hasCause(failure, cause -> isNamed(cause, "Refused", "Rejected", "QueueFull"))) {
            return REFUSED;
        }
        boolean lost =
                hasCause(failure, cause -> cause instanceof IOException || isNamed(cause, "Connection", "Closed"));
        return lost ? LOST : ERROR;
    }

    /** Whether the message of {@code failure}, or of one of its causes, contains {@code text}. */
    static boolean says(Throwable failure, String text) {
        return hasCause(failure, cause -> String.valueOf(cause.getMessage()).contains(text));
    }

    /** Whether {@code test} holds for {@code failure} or for one of its causes. */
    static boolean hasCause(Throwable failure, Predicate<Throwable> test) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(test);
    }

    private static boolean isNamed(Throwable failure, String... parts) {
        String name = failure.getClass().getSimpleName();
        return Stream.of(parts).anyMatch(name::contains);
    }
}
