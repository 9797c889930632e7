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

    long nanos() {
        return System.nanoTime() - startNanos;
    }

    double seconds() {
        return nanos() / 1e9;
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
