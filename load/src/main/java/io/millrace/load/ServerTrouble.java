// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.resp.Reply.ErrorReply;
import java.util.Arrays;
import java.util.Optional;

/** Error replies that speak of the server and not of the row: every row to come would get the same. Named by their code. */
enum ServerTrouble {
    READONLY("Load into the primary."),
    LOADING("Load again when it has read its data."),
    MISCONF("Mend what keeps it from saving, and load again."),
    CLUSTERDOWN("Load again when its cluster is whole."),
    MASTERDOWN("Load into the primary."),
    NOREPLICAS("Load again when its replicas are back."),
    BUSY("Load again when the script that it runs has ended."),
    NOAUTH("Its password has changed: give the new one.");

    private final String advice;

    ServerTrouble(String advice) {
        this.advice = advice;
    }

    static Optional<ServerTrouble> of(ErrorReply error) {
        String code = error.code();
        return Arrays.stream(values())
                .filter(trouble -> trouble.name().equals(code))
                .findFirst();
    }

    /** Why the load ends, with the server's words and what to do. */
    String why(ErrorReply error) {
        String words = error.message().strip();
        return "the server takes no rows now: " + words + (words.endsWith(".") ? " " : ". ") + advice;
    }
}
