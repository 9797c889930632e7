// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.resp.Reply.ErrorReply;
import java.util.Arrays;
import java.util.Optional;

/**
 * Error replies that stop the load. Such an error concerns the server, not the row, so every later row would receive
 * the same error. Each constant has the name of its error code.
 */
enum FatalServerError {
    READONLY("Load the rows into the primary."),
    LOADING("Repeat the load when the server has loaded its data."),
    MISCONF("Fix the error that prevents the server from saving its data, and repeat the load."),
    CLUSTERDOWN("Repeat the load when the cluster is up."),
    MASTERDOWN("Load the rows into the primary."),
    NOREPLICAS("Repeat the load when enough replicas are connected."),
    BUSY("Repeat the load when the running script has ended."),
    NOAUTH("The password of the server has changed: use the new password.");

    private final String advice;

    FatalServerError(String advice) {
        this.advice = advice;
    }

    static Optional<FatalServerError> of(ErrorReply error) {
        String code = error.code();
        return Arrays.stream(values())
                .filter(fatalError -> fatalError.name().equals(code))
                .findFirst();
    }

    /** Returns the reason why the load ends: the message of the server, followed by advice for the user. */
    String message(ErrorReply error) {
        String message = error.message().strip();
        return "the server accepts no rows now: " + message + (message.endsWith(".") ? " " : ". ") + advice;
    }
}
