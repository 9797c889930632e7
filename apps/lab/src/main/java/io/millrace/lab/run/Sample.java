// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.OptionalDouble;

/**
 * One turn of a contender: the measured figures, the CPU time of the server, and the complaints about the data.
 *
 * @param round 0 and below are warm-ups, which are kept but not counted
 * @param serverCpuSeconds of the server's main thread; empty where there is no server
 * @param outcomes as the contender counts them, or else as the server does
 * @param complaints empty if the data was read back and is as it should be
 */
public record Sample(
        int round, Measured measured, OptionalDouble serverCpuSeconds, Outcomes outcomes, List<String> complaints) {

    public Sample {
        complaints = List.copyOf(complaints);
    }

    /**
     * The part of the wall time in which the server's main thread was busy, about 0.0 to 1.0; empty where there is no
     * server.
     */
    public OptionalDouble serverShare() {
        return serverCpuSeconds.isPresent()
                ? OptionalDouble.of(serverCpuSeconds.getAsDouble() / measured.wallSeconds())
                : OptionalDouble.empty();
    }
}
