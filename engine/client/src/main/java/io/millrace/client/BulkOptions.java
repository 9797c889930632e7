// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * How a {@link BulkWriter} writes.
 *
 * @param inFlight commands in flight, 1 to 1,048,576
 * @param inFlightBytes their bytes, from 65,536; a single command may be larger, and is then in flight alone
 * @param timeout of one command, from its end() to its reply, 1 ms to 24 h; of fused ones from when their run is closed
 * @param fusion which commands may be fused
 */
public record BulkOptions(int inFlight, long inFlightBytes, Duration timeout, Set<Fusion> fusion) {

    /**
     * {@link Fusion#ALL_EXACT}, 16,384 commands (at 500,000 a second that is 33 ms of work for the server, enough to bridge a pause of the client's
     * garbage collector), 8 MiB, 60 s (bulk work waits out a slow {@code BGSAVE} fork rather than giving up).
     */
    public static final BulkOptions DEFAULT = new BulkOptions(16_384, 8L << 20, Duration.ofSeconds(60));

    public BulkOptions {
        fusion = Set.copyOf(Objects.requireNonNull(fusion, "fusion"));
        Ranges.check("inFlight", inFlight, 1, 1 << 20);
        Ranges.check("inFlightBytes", inFlightBytes, 1L << 16, 1L << 40);
        Ranges.check("timeout", timeout, Duration.ofMillis(1), Duration.ofHours(24));
    }

    /** With {@link Fusion#ALL_EXACT}, which changes no outcome. */
    public BulkOptions(int inFlight, long inFlightBytes, Duration timeout) {
        this(inFlight, inFlightBytes, timeout, Fusion.ALL_EXACT);
    }

    /** These, but for which commands may be fused. */
    public BulkOptions withFusion(Set<Fusion> kinds) {
        return new BulkOptions(inFlight, inFlightBytes, timeout, kinds);
    }
}
