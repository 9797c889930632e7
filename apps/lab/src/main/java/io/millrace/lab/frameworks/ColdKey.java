// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.time.Duration;
import java.util.List;

/**
 * Requests that ask at the same time for one value that is not in the cache. Each unit has another key.
 *
 * @param requests number of requests, each on a separate connection
 * @param computation time that the server takes to compute the value
 */
public record ColdKey(int requests, Duration computation) {

    /** Figure: values that the server has computed in one unit. */
    public static final String COMPUTATIONS = "computations";

    /** The key of a unit in the path of a request. */
    public static String key(int unit) {
        return Keyspace.PREFIX + "cold-" + unit;
    }

    /** One key for each unit. */
    static ServerUse server() {
        return ServerUse.checkedBy((server, sample) -> server.keys() == sample.units()
                ? List.of()
                : List.of("keys: expected=" + sample.units() + ", found=" + server.keys()));
    }
}
