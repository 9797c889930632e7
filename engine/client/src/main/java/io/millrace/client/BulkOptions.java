// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import io.millrace.client.command.Fusion;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Options of a {@link BulkWriter}. In a cluster, the limits apply to each primary. The constants document the range and the default of each setting, and the reason for
 * the default.
 *
 * @param inFlight maximum number of commands in flight, {@link #IN_FLIGHT}
 * @param inFlightBytes maximum number of bytes in flight, {@link #IN_FLIGHT_BYTES}; a single command above this limit
 *     is sent when no other command is in flight
 * @param timeout time limit of a command, {@link #TIMEOUT}; begins with {@link BulkWriter#end} and ends with the reply.
 *     For a command that becomes part of a fused command, the time limit begins later: when the last command has been
 *     added to the fused command
 * @param fusion kinds of commands that may be fused
 */
public record BulkOptions(int inFlight, long inFlightBytes, Duration timeout, Set<Fusion> fusion) {

    /**
     * Range: 1 to 1,048,576. Default: 16,384. A server that executes 500,000 commands per second needs 33 ms for 16,384
     * commands. So the server has enough work while the client pauses for a garbage collection.
     */
    public static final Setting<Integer> IN_FLIGHT = new Setting<>(
            "inFlight", 1, 1 << 20, 16_384, Unit.COUNT, "Maximum number of commands in flight per connection.");

    /** Range: 64 KB to just under 1 TB. Default: 8 MB, as in {@link ClientOptions#IN_FLIGHT_BYTES}. */
    public static final Setting<Long> IN_FLIGHT_BYTES = ClientOptions.IN_FLIGHT_BYTES;

    /**
     * Range: 1 ms to 24 h. Default: 1 min, which is longer than the pause of a server that forks slowly for
     * {@code BGSAVE}.
     */
    public static final Setting<Duration> TIMEOUT = new Setting<>(
            "timeout",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofMinutes(1),
            Unit.TIME,
            "Maximum wait for the reply to a command.");

    /** Options with the default of each setting and with {@link Fusion#ALL_EXACT}. */
    public static final BulkOptions DEFAULT =
            new BulkOptions(IN_FLIGHT.defaultValue(), IN_FLIGHT_BYTES.defaultValue(), TIMEOUT.defaultValue());

    public BulkOptions {
        fusion = Set.copyOf(Objects.requireNonNull(fusion, "fusion"));
        IN_FLIGHT.check(inFlight);
        IN_FLIGHT_BYTES.check(inFlightBytes);
        TIMEOUT.check(timeout);
    }

    /** Creates options with the fusion {@link Fusion#ALL_EXACT}, which does not change the outcome of any command. */
    public BulkOptions(int inFlight, long inFlightBytes, Duration timeout) {
        this(inFlight, inFlightBytes, timeout, Fusion.ALL_EXACT);
    }

    /** Returns a copy that allows only the kinds of fusion in {@code kinds}. */
    public BulkOptions withFusion(Set<Fusion> kinds) {
        return new BulkOptions(inFlight, inFlightBytes, timeout, kinds);
    }
}
