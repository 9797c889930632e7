// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Whether the shared connections answer.
 *
 * @param connections one entry each
 */
public record Health(List<Check> connections) {

    /**
     * One connection, asked once.
     *
     * @param took from the question to the answer, or to giving up
     * @param problem what went wrong, with its state; empty if nothing did
     */
    public record Check(String connection, Duration took, Optional<String> problem) {}

    public Health {
        connections = List.copyOf(connections);
    }

    /** Whether every connection answered. */
    public boolean healthy() {
        return connections.stream().allMatch(check -> check.problem().isEmpty());
    }
}
