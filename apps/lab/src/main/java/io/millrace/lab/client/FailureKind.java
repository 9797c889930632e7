// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

/** What happened to a command that did not succeed. */
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
     * Guesses the kind from the names of the exception and its causes. Libraries whose names do not tell have a function
     * of their own.
     */
    public static FailureKind of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String name = cause.getClass().getSimpleName();
            if (name.contains("TimedOut") || name.contains("Timeout")) {
                return TIMED_OUT;
            }
            if (name.contains("Refused") || name.contains("Rejected") || name.contains("QueueFull")) {
                return REFUSED;
            }
            if (name.contains("Connection") || name.contains("Closed") || cause instanceof java.io.IOException) {
                return LOST;
            }
        }
        return ERROR;
    }
}
