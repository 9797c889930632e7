// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.FusionOff;
import io.millrace.client.FusionOff.OffReason;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tests which fused commands the user of a connection may run. For each kind, the client queues one command that has the
 * name of the fused command, in a transaction that is then discarded. All commands are sent together.
 *
 * <p>DESIGN. A server checks a command in this order: the command exists, the number of arguments, the permissions of
 * the user, the state of the server. So an error about the state of the server, such as LOADING, proves that the user
 * may run the command. If the user may not run MULTI, the server executes the commands of the test. So each of them
 * changes nothing when it is executed. If the user may not run DISCARD, the transaction stays open: {@link
 * #leavesTransactionOpen}.
 *
 * <p>Some kinds need no test, because the fused command has the same name and the same key as the single commands: the
 * server permits either all of them or none.
 */
public final class PermissionTest {

    /**
     * Codes of errors about the state of the server or of a key. The server checks the permissions of the user before
     * it sends one of these errors.
     */
    private static final Set<String> AFTER_PERMISSION_CHECK = Set.of(
            "LOADING",
            "OOM",
            "MISCONF",
            "NOREPLICAS",
            "READONLY",
            "MASTERDOWN",
            "BUSY",
            "MOVED",
            "ASK",
            "TRYAGAIN",
            "CLUSTERDOWN",
            "NOSCRIPT",
            "WRONGTYPE");

    private final FusionDecision supported;
    private final List<Fusion> kinds;

    /** Creates a test of the kinds that the server supports. */
    public PermissionTest(FusionDecision supported) {
        this.supported = supported;
        this.kinds = supported.kinds().stream()
                .filter(kind -> !FusionRule.of(kind).testCommand().isEmpty())
                .sorted()
                .toList();
    }

    /** Returns the commands to send; empty if no kind needs a test. */
    public List<List<String>> commands() {
        List<List<String>> commands = new ArrayList<>();
        if (!kinds.isEmpty()) {
            commands.add(List.of("MULTI"));
            kinds.forEach(kind -> commands.add(FusionRule.of(kind).testCommand()));
            commands.add(List.of("DISCARD"));
        }
        return commands;
    }

    /** Returns whether the server has accepted MULTI but not DISCARD. EXEC then ends the transaction. */
    public boolean leavesTransactionOpen(List<Reply> replies) {
        return !replies.isEmpty()
                && replies.getFirst().equals(Reply.OK)
                && !replies.getLast().equals(Reply.OK);
    }

    /** Returns which kinds the connection uses, given the replies to the {@linkplain #commands commands}. */
    public FusionDecision decide(List<Reply> replies) {
        List<Fusion> untested =
                supported.kinds().stream().filter(kind -> !kinds.contains(kind)).toList();
        return new FusionDecision(Set.copyOf(untested), supported.off(), supported.oneSlot())
                .plus(kinds, kind -> whyOff(kind, replies.get(1 + kinds.indexOf(kind))));
    }

    /** Returns why {@code kind} is off, given the reply to its test; null if the user may run the fused command. */
    private static @Nullable FusionOff whyOff(Fusion kind, Reply reply) {
        if (!(reply instanceof Reply.ErrorReply error)
                || AFTER_PERMISSION_CHECK.contains(error.code())
                || (kind == Fusion.SET && isWrongArity(error))) {
            return null;
        }
        String message = FusedCommand.messageWithoutArguments(error);
        if (error.code().equals("NOPERM")) {
            // For a user with access to some keys only, commands on several keys must not be fused: one denied key
            // would also fail the commands on the permitted keys. Commands on one key all have the denied key.
            boolean ofKey = !deniesCommand(error);
            return ofKey && FusionRule.of(kind).onOneKey()
                    ? null
                    : new FusionOff(kind, OffReason.NOT_PERMITTED, message);
        }
        return new FusionOff(kind, deniesEveryCall(error) ? OffReason.UNKNOWN_COMMAND : OffReason.UNDECIDED, message);
    }

    /** Returns true if the user may not run the command, and false if the user may not use the key. */
    static boolean deniesCommand(Reply.ErrorReply noPermission) {
        return noPermission.message().contains("run the");
    }

    /** Returns whether the server does not know the command, or not in this form. */
    static boolean deniesEveryCall(Reply.ErrorReply error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        return message.startsWith("err unknown command")
                || message.startsWith("err syntax error")
                || isWrongArity(error);
    }

    private static boolean isWrongArity(Reply.ErrorReply error) {
        return error.message().toLowerCase(Locale.ROOT).startsWith("err wrong number of arguments");
    }
}
