// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Result of a health check of the shared connections.
 *
 * @param connections result of the check of each shared connection
 */
public record Health(List<Check> connections) {

    /**
     * Result of one {@code PING} over one connection.
     *
     * @param took time until the reply, or until the check failed
     * @param problem message of the exception if the {@code PING} failed; empty if the server replied
     */
    public record Check(String connection, Duration took, Optional<String> problem) {}

    public Health {
        connections = List.copyOf(connections);
    }

    /** Whether the server replied over every connection. */
    public boolean healthy() {
        return connections.stream().allMatch(check -> check.problem().isEmpty());
    }
}
