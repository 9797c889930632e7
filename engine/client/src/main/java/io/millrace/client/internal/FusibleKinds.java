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

    /** Any thread. */
    boolean include(Fusion kind) {
        return kinds.contains(kind) && !refused.kinds.get().contains(kind);
    }

    /**
     * The reader: whether {@code whole} can be the answer to {@code fused}. If not, or if it says that the server does not take
     * such a command, its kind is not fused any more: what is sent again must not meet the same.
     */
    boolean accept(Fused fused, Reply whole) {
        boolean fits = fused.isAnsweredBy(whole);
        if (!fits) {
            refuse(fused.kind(), whole.getClass().getSimpleName());
        } else if (whole instanceof Reply.ErrorReply error && isRefusal(fused.kind(), error)) {
            refuse(fused.kind(), Fused.words(error));
        }
        return fits;
    }

    private void refuse(Fusion kind, String answer) {
        if (refused.add(kind)) {
            String words =
                    "the server does not take what " + kind + " is fused into, so it is not fused any more: " + answer;
            // Not here: a handler of the user's must not stop the reader.
            Thread.startVirtualThread(() -> LOG.log(Level.WARNING, words));
        }
    }

    /**
     * Whether it would be answered so whatever the arguments are: the server does not know the command, does not let this user
     * run it, or not on several keys at once.
     */
    private static boolean isRefusal(Fusion kind, Reply.ErrorReply error) {
        boolean ofOneKey = FusionRule.of(kind).onOneKey();
        return switch (error.code()) {
            case "NOPERM" -> !ofOneKey || FusionSupport.isForCommand(error);
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
