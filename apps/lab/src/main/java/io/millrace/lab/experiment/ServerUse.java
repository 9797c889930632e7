// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a scenario needs from the server. The lab empties the server before each round.
 *
 * @param place which server is used
 * @param fill writes keys before a round; not measured
 * @param check compares what a round left on the server with the right keys
 * @param disturbance what happens to the server during a round; empty for nothing
 */
public record ServerUse(Place place, Fill fill, Check check, Optional<Disturbance> disturbance) {

    /** For work without Redis. */
    public static final ServerUse NONE =
            new ServerUse(Place.NONE, server -> {}, (server, sample) -> List.of(), Optional.empty());

    /** The server of a scenario. */
    public enum Place {
        /** Work without Redis. */
        NONE,
        /** The server that the user names, or one that the lab starts. */
        NAMED,
        /** The cluster that the user names. If the user names none, the lab starts one on loopback. */
        CLUSTER
    }

    /** An empty server, whose data is checked after each round. */
    public static ServerUse checkedBy(Check check) {
        return new ServerUse(Place.NAMED, server -> {}, check, Optional.empty());
    }

    public ServerUse filledBy(Fill newFill) {
        return new ServerUse(place, newFill, check, disturbance);
    }

    /** The same on a cluster. */
    public ServerUse onCluster() {
        return new ServerUse(Place.CLUSTER, fill, check, disturbance);
    }

    /** The same, while something happens to the server. */
    public ServerUse during(Disturbance happening) {
        return new ServerUse(place, fill, check, Optional.of(happening));
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

    /** Something that happens to a cluster of the lab while a contender is measured. Needs no thread of the contender. */
    @FunctionalInterface
    public interface Disturbance {

        /** Begins before the measured part of a round. Returns without waiting. */
        Ongoing begin(RedisServer server);
    }

    /** A disturbance that has begun. */
    @FunctionalInterface
    public interface Ongoing {

        /** Ends the disturbance, and repairs the server. Returns figures of the round, by their names. */
        Map<String, Double> end();
    }

    /** The two checks one after the other. */
    public ServerUse and(Check second) {
        Check first = check;
        Check both = (server, sample) -> {
            List<String> complaints = new ArrayList<>(first.complaints(server, sample));
            complaints.addAll(second.complaints(server, sample));
            return complaints;
        };
        return new ServerUse(place, fill, both, disturbance);
    }

    /** Whether the work uses Redis. */
    public boolean isNeeded() {
        return place != Place.NONE;
    }

    /** Empty for a scenario without Redis. */
    public Optional<ServerUse> ifNeeded() {
        return isNeeded() ? Optional.of(this) : Optional.empty();
    }
}
