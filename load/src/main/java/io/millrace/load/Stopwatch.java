// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.time.Duration;

/** Wall and processor time of this process since a moment. */
record Stopwatch(long startNanos, Duration startCpu) {

    /** What has passed since the start. */
    record Times(double seconds, double cpuSeconds) {}

    static Stopwatch start() {
        return new Stopwatch(System.nanoTime(), cpu());
    }

    Times times() {
        return new Times(seconds(), cpu().minus(startCpu).toNanos() / 1e9);
    }

    double seconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
