// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.FusionOff;
import io.millrace.client.FusionOff.OffReason;
import io.millrace.client.command.Fusion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which of the requested kinds of fusion a connection uses, and how.
 *
 * @param kinds kinds that the connection uses
 * @param off the other requested kinds, with the reasons
 * @param oneSlot whether all keys of a fused command must have the same hash slot, because the server is a node of a
 *     cluster
 */
public record FusionDecision(Set<Fusion> kinds, List<FusionOff> off, boolean oneSlot) {

    /** No kinds are requested. */
    public static final FusionDecision NONE = new FusionDecision(Fusion.NONE, List.of(), false);

    public FusionDecision {
        kinds = Set.copyOf(kinds);
        off = List.copyOf(off);
    }

    /** Returns a decision that turns off all {@code kinds} for the same reason. */
    static FusionDecision allOff(Collection<Fusion> kinds, OffReason reason, String message) {
        return NONE.plus(kinds, kind -> new FusionOff(kind, reason, message));
    }

    FusionDecision withOneSlot(boolean required) {
        return new FusionDecision(kinds, off, required);
    }

    /**
     * Returns this decision, extended by {@code more} kinds.
     *
     * @param reasons returns why a kind is off; returns null if the connection uses the kind
     */
    FusionDecision plus(Collection<Fusion> more, Function<Fusion, @Nullable FusionOff> reasons) {
        Set<Fusion> used = EnumSet.noneOf(Fusion.class);
        used.addAll(kinds);
        List<FusionOff> unused = new ArrayList<>(off);
        for (Fusion kind : more) {
            FusionOff reason = reasons.apply(kind);
            if (reason == null) {
                used.add(kind);
            } else {
                unused.add(reason);
            }
        }
        return new FusionDecision(used, unused, oneSlot);
    }
}
