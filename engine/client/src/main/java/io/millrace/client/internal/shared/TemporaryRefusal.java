// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A temporary refusal: an error reply by which the server rejects a command before execution, because of a state of the
 * server that will end. A command that was refused in this way can be sent again without the risk that it is executed
 * twice.
 *
 * <p>The server rejects a command before execution with one of the codes below. But if a script or a function of the
 * server calls a command, the error of that command may be the reply to the whole script, and the script may have
 * executed other commands before. So commands that run scripts or functions are never sent again.
 */
public final class TemporaryRefusal {

    /** A replica does not accept writes. */
    private static final String READ_ONLY = "READONLY";

    /**
     * {@code BUSY}: a script runs for a long time. {@code CLUSTERDOWN}: a node of a cluster does not reach the other nodes,
     * or the hash slot has no node. {@code LOADING}: the server loads its data. {@code MASTERDOWN}: a replica has lost its
     * master, and must not reply with old data. {@code TRYAGAIN}: the keys of a command are being moved to another server.
     */
    private static final Set<String> CODES =
            Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN", READ_ONLY);

    private static final Set<String> ALL_COMMANDS = Set.of("BUSY", "LOADING", "MASTERDOWN");

    /** Commands whose error reply may be the error of a command in the middle of a script or function. */
    private static final Set<String> SCRIPTS =
            Set.of("EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "FCALL", "FCALL_RO", "TFCALL", "TFCALLASYNC");

    /** Begin of the reply to an {@code EXEC} that the server itself rejected; the refusal follows. */
    private static final String REJECTED_EXEC = "EXECABORT Transaction discarded because of: ";

    private TemporaryRefusal() {}

    /** Whether {@code error} is a temporary refusal, if it is not the error of a script. */
    static boolean is(Reply.ErrorReply error) {
        return CODES.contains(error.code());
    }

    /**
     * Whether the server refuses almost all commands at present. Other temporary refusals concern some commands: writes, or
     * commands with certain keys.
     */
    public static boolean concernsAllCommands(Reply.ErrorReply error) {
        return ALL_COMMANDS.contains(error.code());
    }

    /** Whether the server does not reach its cluster or its master, so that other servers may have another view. */
    static boolean mayMeanANewPrimary(Reply.ErrorReply error) {
        return error.code().equals("CLUSTERDOWN") || error.code().equals("MASTERDOWN");
    }

    /** Whether the server refused a write because the server is a replica. */
    static boolean isReadOnly(Reply.ErrorReply error) {
        return error.code().equals(READ_ONLY);
    }

    /** Whether a command of this name runs a script or a function. The name may contain arguments. */
    static boolean runsScript(String name) {
        int space = name.indexOf(' ');
        String command = space < 0 ? name : name.substring(0, space);
        return SCRIPTS.contains(command.toUpperCase(Locale.ROOT));
    }

    /** Whether the server may have executed the command {@code name}, given its outcome; null if it has none. */
    static boolean mayBeExecuted(@Nullable Outcome outcome, String name) {
        return switch (outcome) {
            case null -> false;
            case Outcome.Refused ignored -> false;
            case Outcome.Lost lost -> lost.maybeExecuted();
            case Outcome.Failed failed -> !is(failed.error()) || runsScript(name);
            case Outcome.Ok ignored -> true;
            case Outcome.TimedOut ignored -> true;
        };
    }

    /**
     * Returns the reason why the server refused an {@code EXEC}.
     *
     * @param error the reply to {@code EXEC}
     */
    static Reply.ErrorReply reasonOf(Reply.ErrorReply error) {
        return error.message().startsWith(REJECTED_EXEC)
                ? new Reply.ErrorReply(error.message().substring(REJECTED_EXEC.length()))
                : error;
    }
}
