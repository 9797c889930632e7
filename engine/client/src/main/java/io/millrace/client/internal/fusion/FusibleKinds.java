// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.Fusion;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The kinds of commands that one connection fuses. Contains the requested kinds that the server supports, except the
 * kinds whose fused commands the server has refused.
 */
public final class FusibleKinds {

    private final EnumSet<Fusion> kinds = EnumSet.noneOf(Fusion.class);
    private final RefusedKinds refused;

    /**
     * The kinds that the server has refused on any connection of a client. The server would refuse these kinds on the
     * other connections, too. Thread-safe.
     */
    public static final class RefusedKinds {

        private final AtomicReference<Set<Fusion>> kinds = new AtomicReference<>(Fusion.NONE);

        /** Adds {@code kind}. Returns true if {@code kind} was not refused before. */
        private boolean add(Fusion kind) {
            Set<Fusion> before = kinds.getAndUpdate(known -> {
                EnumSet<Fusion> more = EnumSet.of(kind);
                more.addAll(known);
                return more;
            });
            return !before.contains(kind);
        }
    }

    public FusibleKinds(Set<Fusion> taken, RefusedKinds refused) {
        this.kinds.addAll(taken);
        this.refused = refused;
    }

    /** Any thread: returns whether commands of {@code kind} are fused. */
    boolean include(Fusion kind) {
        return kinds.contains(kind) && !refused.kinds.get().contains(kind);
    }

    /**
     * Reader: returns whether {@code whole} can be the reply to {@code fusedCommand}. From now on, commands of this
     * kind are not fused in two cases: if {@code whole} cannot be the reply, or if the server refuses the fused
     * command. So a retry does not fail in the same way.
     */
    public boolean accept(FusedCommand fusedCommand, Reply whole) {
        boolean fits = fusedCommand.accepts(whole);
        if (!fits) {
            refuse(fusedCommand.kind(), whole.getClass().getSimpleName());
        } else if (whole instanceof Reply.ErrorReply error && isRefusal(fusedCommand.kind(), error)) {
            refuse(fusedCommand.kind(), FusedCommand.messageWithoutArguments(error));
        }
        return fits;
    }

    private void refuse(Fusion kind, String answer) {
        if (refused.add(kind)) {
            String message = "the server refuses the fused command for " + kind + ", so " + kind
                    + " commands are no longer fused: " + answer;
            // Log on another thread, because a user's log handler must not block the reader.
            ClientThreads.startVirtual("millrace-log", () -> ClientLog.logger().log(Level.WARNING, message));
        }
    }

    /**
     * Returns whether the server refuses the fused command independent of its arguments. There are three causes: the
     * server does not know the command, this user may not run the command, or this user or server does not allow
     * several keys in one command.
     */
    private static boolean isRefusal(Fusion kind, Reply.ErrorReply error) {
        boolean ofOneKey = FusionRule.of(kind).onOneKey();
        return switch (error.code()) {
            case "NOPERM" -> !ofOneKey || FusionSupport.deniesCommand(error);
            case "CROSSSLOT" -> true;
            default -> {
                String message = error.message().toLowerCase(Locale.ROOT);
                yield message.startsWith("err unknown command")
                        || message.startsWith("err wrong number of arguments")
                        || message.startsWith("err syntax error");
            }
        };
    }
}
