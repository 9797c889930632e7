// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.BulkOptions;
import io.millrace.client.Setting.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks the limits of a server for connections and their buffers, and the round trip. */
final class ConnectionCheck {

    /** Rows that a fast server accepts in a second. A window below this number times the round trip limits a load. */
    private static final long FAST_ROWS_PER_SECOND = 500_000;

    private static final String LIMITS = "client-output-buffer-limit";

    private ConnectionCheck() {}

    /**
     * The limit of the unread output of a class of connections.
     *
     * @param hardBytes the server closes a connection at once at this size; 0 for no limit
     * @param softBytes the server closes a connection that stays above this size; 0 for no limit
     */
    private record OutputLimit(long hardBytes, long softBytes, long softSeconds) {

        boolean isLimited() {
            return hardBytes > 0 || softBytes > 0;
        }

        String text() {
            return !isLimited()
                    ? "none"
                    : Unit.BYTES.text(hardBytes) + " (" + Unit.BYTES.text(softBytes) + " for " + softSeconds + " s)";
        }
    }

    static List<Finding> of(ServerState state, Optional<Sample> sample, RoundTrip roundTrip) {
        List<Finding> findings = new ArrayList<>();
        clients(state).ifPresent(findings::add);
        findings.add(replies(state));
        replicas(state, sample.map(Sample::neededBytes).orElseGet(OptionalLong::empty))
                .ifPresent(findings::add);
        findings.add(roundTrip(roundTrip));
        return findings;
    }

    private static Optional<Finding> clients(ServerState state) {
        OptionalLong limit = state.number("maxclients");
        OptionalLong connected = state.number("connected_clients");
        if (limit.isEmpty() || connected.isEmpty()) {
            return Optional.empty();
        }
        String values = "connected_clients=" + connected.getAsLong() + ", maxclients=" + limit.getAsLong();
        return Optional.of(
                limit.getAsLong() - connected.getAsLong() < 2
                        ? Finding.problem(
                                "connections",
                                "the server accepts hardly any more connection: " + values,
                                "Raise maxclients, or close unused connections. A load needs at least 2.")
                        : Finding.ok("connections", "the server accepts more connections: " + values));
    }

    /** Replies to a load are short, but a verification reads values. */
    private static Finding replies(ServerState state) {
        Optional<OutputLimit> normal = limit(state, "normal");
        if (normal.isEmpty()) {
            return Finding.unknown(
                    "output buffers",
                    "the limits of the output buffers are unknown",
                    "Give the user the permission +config|get.");
        }
        String evicting = state.setting("maxmemory-clients").orElse("0");
        String values = LIMITS + " of normal clients=" + normal.get().text() + ", maxmemory-clients=" + evicting;
        if (normal.get().isLimited() || !evicting.equals("0")) {
            return Finding.advice(
                    "output buffers",
                    "the server closes a connection whose unread replies exceed a limit: " + values,
                    "For --verify with large values, set " + LIMITS + " normal 0 0 0, or lower --in-flight.");
        }
        return Finding.ok("output buffers", "the replies of a load are not limited: " + values);
    }

    private static Optional<Finding> replicas(ServerState state, OptionalLong needed) {
        Optional<OutputLimit> limit = limit(state, "replica").or(() -> limit(state, "slave"));
        long replicas = state.number("connected_slaves").orElse(0);
        if (replicas == 0 || limit.isEmpty()) {
            return Optional.empty();
        }
        String values = "connected replicas=" + replicas + ", " + LIMITS + " of replicas="
                + limit.get().text();
        long hard = limit.get().hardBytes();
        boolean exceeds = limit.get().isLimited()
                && needed.orElse(0) > Math.max(hard, limit.get().softBytes());
        return Optional.of(
                exceeds
                        ? Finding.advice(
                                "replicas",
                                "a replica that is slower than the load is disconnected, and then copies all data again: "
                                        + values + ", needed=about " + MemoryCheck.megabytes(needed.getAsLong()),
                                "Raise " + LIMITS + " and repl-backlog-size, or limit the load with --rate.")
                        : Finding.ok("replicas", "replicas follow the load: " + values));
    }

    /** Parses {@code normal 0 0 0 slave 268435456 67108864 60 pubsub …}. */
    private static Optional<OutputLimit> limit(ServerState state, String kind) {
        List<String> words = List.of(state.setting(LIMITS).orElse("").split(" "));
        int at = words.indexOf(kind);
        if (at < 0 || at + 3 >= words.size()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new OutputLimit(
                    Long.parseLong(words.get(at + 1)),
                    Long.parseLong(words.get(at + 2)),
                    Long.parseLong(words.get(at + 3))));
        } catch (NumberFormatException otherForm) {
            return Optional.empty();
        }
    }

    private static Finding roundTrip(RoundTrip roundTrip) {
        double seconds = Math.max(1, roundTrip.medianNanos()) / 1e9;
        long inFlight = BulkOptions.IN_FLIGHT.defaultValue();
        long needed = Math.round(FAST_ROWS_PER_SECOND * seconds);
        String values = String.format(
                Locale.ROOT, "median=%.3f ms, maximum=%.3f ms", seconds * 1e3, roundTrip.maxNanos() / 1e6);
        String alone = "a client that waits for each reply writes at most "
                + Unit.COUNT.text(Math.max(1, Math.round(1 / seconds))) + " rows/s";
        return needed > inFlight
                ? Finding.advice(
                        "round trip",
                        "the server is too far for the rows in flight of a load: " + values + ", in flight="
                                + Unit.COUNT.text(inFlight) + "; " + alone,
                        "Load from a machine nearer to the server, or with --in-flight "
                                + Math.min(needed, BulkOptions.IN_FLIGHT.max()) + ".")
                : Finding.ok(
                        "round trip",
                        "short enough for a load, which does not wait for each reply: " + values + "; " + alone);
    }
}
