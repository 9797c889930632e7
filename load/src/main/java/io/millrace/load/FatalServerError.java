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
    READONLY("Load into the primary."),
    LOADING("Load again when the server has loaded its data."),
    MISCONF("Fix the error that keeps the server from saving, and load again."),
    CLUSTERDOWN("Load again when the cluster is up."),
    MASTERDOWN("Load into the primary."),
    NOREPLICAS("Load again when enough replicas are connected."),
    BUSY("Load again when the running script has ended."),
    NOAUTH("The password of the server has changed: use the new password.");

    private final String advice;

    FatalServerError(String advice) {
        this.advice = advice;
    }

    static Optional<FatalServerError> of(ErrorReply error) {
        String code = error.code();
        return Arrays.stream(values())
                .filter(trouble -> trouble.name().equals(code))
                .findFirst();
    }

    /** The reason why the load ends, with the message of the server and advice. */
    String message(ErrorReply error) {
        String message = error.message().strip();
        return "the server accepts no rows now: " + message + (message.endsWith(".") ? " " : ". ") + advice;
    }
}
