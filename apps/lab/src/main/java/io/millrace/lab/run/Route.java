// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.library.Endpoint;
import java.time.Duration;

/**
 * How contenders reach the server.
 *
 * @param endpoint the server itself, or the door of a proxy that adds a delay
 * @param roundTrip what that adds to a round trip; zero for nothing
 * @param distance the whole of a round trip, as measured
 */
public record Route(Endpoint endpoint, Duration roundTrip, Duration distance) {

    /** Straight to a server on loopback. */
    public static Route direct(Endpoint endpoint) {
        return new Route(endpoint, Duration.ZERO, Duration.ZERO);
    }

    /** The added delay in milliseconds. */
    public double roundTripMillis() {
        return roundTrip.toNanos() / 1e6;
    }
}
