// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.time.Duration;

/** Elapsed time and CPU time of this process since the start. */
record Stopwatch(long startNanos, Duration startCpu) {

    /** Elapsed seconds and CPU seconds since the start. */
    record ElapsedTimes(double seconds, double cpuSeconds) {}

    static Stopwatch start() {
        return new Stopwatch(System.nanoTime(), cpu());
    }

    ElapsedTimes times() {
        return new ElapsedTimes(seconds(), cpu().minus(startCpu).toNanos() / 1e9);
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
