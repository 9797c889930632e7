// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which kinds of commands one connection fuses: those that were asked for and that its server takes, without those that it has
 * refused since.
 */
final class FusibleKinds {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    private final EnumSet<Fusion> kinds = EnumSet.noneOf(Fusion.class);
    private final Refused refused;

    /** What the server has refused to any connection of a client: it would refuse it to the others, too. Thread-safe. */
    static final class Refused {

        private final AtomicReference<Set<Fusion>> kinds = new AtomicReference<>(Fusion.NONE);

        /** Returns whether that is news. */
        private boolean add(Fusion kind) {
            Set<Fusion> before = kinds.getAndUpdate(known -> {
                EnumSet<Fusion> more = EnumSet.of(kind);
                more.addAll(known);
                return more;
            });
            return !before.contains(kind);
        }
    }

    FusibleKinds(Set<Fusion> taken, Refused refused) {
        this.kinds.addAll(taken);
        this.refused = refused;
    }

    /** None, ever. */
    static FusibleKinds none() {
        return new FusibleKinds(Fusion.NONE, new Refused());
    }

    /** Any thread. */
    boolean include(Fusion kind) {
        return kinds.contains(kind) && !refused.kinds.get().contains(kind);
    }

    /** Any thread: a fused command was answered by {@code error}. */
    void failed(Fusion kind, Reply.ErrorReply error) {
        if (isRefusal(error) && refused.add(kind)) {
            LOG.log(
                    Level.WARNING,
                    "the server refuses the command that " + kind + " is fused into, so it is not fused any more: "
                            + error.message());
        }
    }

    /** Whether the server does not know the command, or does not let this user run it. */
    private static boolean isRefusal(Reply.ErrorReply error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        return error.code().equals("NOPERM")
                || message.startsWith("err unknown command")
                || message.startsWith("err wrong number of arguments")
                || message.startsWith("err syntax error");
    }
}
