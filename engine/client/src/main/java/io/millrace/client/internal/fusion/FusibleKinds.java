// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.FusionOff;
import io.millrace.client.FusionOff.OffReason;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of commands that one connection fuses. Contains the requested kinds that the server supports, except the
 * kinds whose fused commands the server has refused.
 */
public final class FusibleKinds {

    private final EnumSet<Fusion> kinds = EnumSet.noneOf(Fusion.class);
    private final List<FusionOff> off;
    private final boolean oneSlot;
    private final RefusedKinds refused;
    private final String connection;

    /**
     * The kinds that the server has refused on any connection of a client, with the replies of the server. The server
     * would refuse these kinds on the other connections, too. Thread-safe.
     */
    public static final class RefusedKinds {

        private final AtomicReference<Map<Fusion, String>> kinds = new AtomicReference<>(Map.of());

        /** Adds {@code kind}. Returns true if {@code kind} was not refused before. */
        private boolean add(Fusion kind, String answer) {
            Map<Fusion, String> before = kinds.getAndUpdate(known -> {
                Map<Fusion, String> more = new EnumMap<>(Fusion.class);
                more.putAll(known);
                more.putIfAbsent(kind, answer);
                return Collections.unmodifiableMap(more);
            });
            return !before.containsKey(kind);
        }
    }

    /**
     * Creates the kinds of a connection, and records the requested kinds that are off.
     *
     * @param connection name of the connection in events
     */
    public FusibleKinds(FusionDecision decision, RefusedKinds refused, String connection) {
        this.kinds.addAll(decision.kinds());
        this.off = decision.off();
        this.oneSlot = decision.oneSlot();
        this.refused = refused;
        this.connection = connection;
        off().forEach(kind -> FlightRecorderEvents.reportFusionOff(connection, kind));
    }

    /** Any thread: returns whether commands of {@code kind} are fused. */
    boolean include(Fusion kind) {
        return kinds.contains(kind) && !refused.kinds.get().containsKey(kind);
    }

    /** Any thread: returns the kind of fusion for commands with {@code spec}; null if they are not fused. */
    @Nullable
    Fusion kindOf(CommandSpec<?> spec) {
        Fusion asked = spec.fusion();
        boolean included = asked != null && (include(asked) || (asked == Fusion.SET && include(Fusion.SET_EXPIRING)));
        return included ? asked : null;
    }

    /** Any thread: returns whether all keys of a fused command must have the same hash slot. */
    boolean oneSlot() {
        return oneSlot;
    }

    /** Any thread: returns the requested kinds that are off, with the reasons. */
    public List<FusionOff> off() {
        Map<Fusion, String> refusedNow = refused.kinds.get();
        List<FusionOff> all = new ArrayList<>(off);
        for (Fusion kind : kinds) {
            String answer = refusedNow.get(kind);
            if (answer != null) {
                all.add(new FusionOff(kind, OffReason.REFUSED, answer));
            }
        }
        return all;
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
        if (refused.add(kind, answer)) {
            FlightRecorderEvents.reportFusionOff(connection, new FusionOff(kind, OffReason.REFUSED, answer));
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
        return switch (error.code()) {
            case "NOPERM" -> !FusionRule.of(kind).onOneKey() || PermissionTest.deniesCommand(error);
            case "CROSSSLOT" -> true;
            default -> PermissionTest.deniesEveryCall(error);
        };
    }
}
