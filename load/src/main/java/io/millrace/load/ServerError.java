// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply.ErrorReply;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * The meaning of an error reply for a load. No other class classifies error replies.
 *
 * <pre>
 *   error reply      temporary   the server will accept the row later: wait, and send the row again
 *                    hopeless    every later row would receive the same error: stop
 *                    of the row  the row is rejected, and the load continues
 * </pre>
 *
 * <p>A server sends each temporary error before it executes the command. So the row was certainly not written, and may
 * be sent again. For the scripts of this module, see {@code docs/adr/0036-what-a-load-sends-again.md}.
 *
 * <p>A constant with the name of an error code stands for this code.
 */
enum ServerError {
    LOADING(Kind.TEMPORARY, "Repeat the load when the server has loaded its data."),
    BUSY(Kind.TEMPORARY, "Repeat the load when the running script has ended."),
    MASTERDOWN(Kind.TEMPORARY, "Load the rows into the primary."),
    CLUSTERDOWN(Kind.TEMPORARY, "Repeat the load when the cluster is up."),
    TRYAGAIN(Kind.TEMPORARY, "Repeat the load when the hash slot has been moved."),
    NOREPLICAS(Kind.TEMPORARY, "Repeat the load when enough replicas are connected."),
    READONLY(Kind.TEMPORARY, "Load the rows into the primary."),
    OOM(Kind.TEMPORARY, "Raise maxmemory, or free memory on the server, and load again."),
    MISCONF(Kind.HOPELESS, "Fix the error that prevents the server from saving its data, and repeat the load."),
    NOAUTH(Kind.HOPELESS, "The password of the server has changed: use the new password."),
    /** The server does not know the command, or the user may not run the command. */
    COMMAND_REFUSED(Kind.COMMAND, "Permit the command for this user, or load into another type."),
    /** The error concerns one row or one key. */
    OF_THE_ROW(Kind.ROW, "");

    private enum Kind {
        TEMPORARY,
        HOPELESS,
        COMMAND,
        ROW
    }

    /**
     * Longest wait of a load for a full server. A server with an eviction policy frees memory within this time. Without
     * such a policy, memory rarely becomes free while a load runs.
     */
    static final Duration LONGEST_OOM_WAIT = Duration.ofSeconds(5);

    /** Begin of the message about a server that accepts no rows. */
    static final String NO_ROWS = "the server accepts no rows now: ";

    private static final String NO_PERMISSION = "NOPERM";

    private final Kind kind;
    private final String advice;

    ServerError(Kind kind, String advice) {
        this.kind = kind;
        this.advice = advice;
    }

    /** The meaning of the error reply in {@code e}. */
    static ServerError of(ErrorReplyException e) {
        return of(reply(e));
    }

    /** The error reply in {@code e}, whose message begins with the name of the command or the transaction. */
    static ErrorReply reply(ErrorReplyException e) {
        String message = String.valueOf(e.getMessage());
        String separator = " failed: ";
        int at = message.indexOf(separator);
        return new ErrorReply(at < 0 ? message : message.substring(at + separator.length()));
    }

    static ServerError of(ErrorReply error) {
        if (refusesCommand(error)) {
            return COMMAND_REFUSED;
        }
        String code = error.code();
        return Arrays.stream(values())
                .filter(candidate -> candidate.name().equals(code))
                .findFirst()
                .orElse(OF_THE_ROW);
    }

    /**
     * Whether the server refuses the command itself, also inside a script. The other errors with the code {@code NOPERM}
     * refuse the key of one row.
     */
    private static boolean refusesCommand(ErrorReply error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        boolean permission = error.code().equals(NO_PERMISSION) || message.contains("acl failure in script");
        return (permission && message.contains("to run the "))
                || message.contains("the user executing the script can't run this command")
                || message.startsWith("err unknown command")
                || message.contains("unknown redis command called from");
    }

    /** Whether the load waits and sends the row again. */
    boolean isTemporary() {
        return kind == Kind.TEMPORARY;
    }

    /** Whether the load stops, because every later row would receive the same error. */
    boolean isHopeless() {
        return kind == Kind.HOPELESS || kind == Kind.COMMAND;
    }

    /** Whether the server was restarted, or has lost its role or a part of its keys. */
    boolean concernsRole() {
        return this == LOADING || this == READONLY || this == MASTERDOWN || this == CLUSTERDOWN;
    }

    /** Whether the error depends only on the state of the server, and not on the command, its keys or the user. */
    boolean concernsServer() {
        return kind == Kind.TEMPORARY || kind == Kind.HOPELESS;
    }

    /** The longest wait for the end of this error, for a load that waits up to {@code patience} in general. */
    Duration longestWait(Duration patience) {
        return this == OOM && LONGEST_OOM_WAIT.compareTo(patience) < 0 ? LONGEST_OOM_WAIT : patience;
    }

    /** The advice for the user if the load stops because of this error. */
    String advice() {
        return advice;
    }

    /** Returns why the load ends: the message of the server, followed by advice for the user. */
    String message(ErrorReply error) {
        String subject = kind == Kind.COMMAND ? "the server refuses the command of the rows: " : NO_ROWS;
        return subject + sentence(error.message()) + " " + advice;
    }

    /** {@code text} with a full stop at its end. */
    static String sentence(String text) {
        String stripped = text.strip();
        return stripped.endsWith(".") ? stripped : stripped + ".";
    }
}
