// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a scenario needs from the server. The lab empties the server before each round.
 *
 * @param isNeeded false for work without Redis
 * @param fill writes keys before a round; not measured
 * @param check compares what a round left on the server with the right keys
 */
public record ServerUse(boolean isNeeded, Fill fill, Check check) {

    /** For work without Redis. */
    public static final ServerUse NONE = new ServerUse(false, server -> {}, (server, sample) -> List.of());

    /** An empty server, whose data is checked after each round. */
    public static ServerUse checkedBy(Check check) {
        return new ServerUse(true, server -> {}, check);
    }

    public ServerUse filledBy(Fill newFill) {
        return new ServerUse(isNeeded, newFill, check);
    }

    /** Writes keys before a round. */
    @FunctionalInterface
    public interface Fill {
        void fill(RedisServer server);
    }

    /** Checks the server after a round. */
    @FunctionalInterface
    public interface Check {

        /** Returns the complaints; empty if everything is right. {@code sample} has no complaints of the server yet. */
        List<String> complaints(RedisServer server, Sample sample);
    }

    /** The two checks one after the other. */
    public ServerUse and(Check second) {
        Check first = check;
        return new ServerUse(isNeeded, fill, (server, sample) -> {
            List<String> complaints = new ArrayList<>(first.complaints(server, sample));
            complaints.addAll(second.complaints(server, sample));
            return complaints;
        });
    }

    /** Empty for a scenario without Redis. */
    public Optional<ServerUse> ifNeeded() {
        return isNeeded ? Optional.of(this) : Optional.empty();
    }
}
