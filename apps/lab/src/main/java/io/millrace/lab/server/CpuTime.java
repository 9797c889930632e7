// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

/**
 * CPU time of one process.
 *
 * @param resolutionSeconds the step in which the operating system counts; a time of few steps says nothing
 */
public record CpuTime(double userSeconds, double systemSeconds, double resolutionSeconds) {

    public double seconds() {
        return userSeconds + systemSeconds;
    }

    /** Whether the time is at least 20 steps long, so that the error of a step is at most 5 %. */
    public boolean isExact() {
        return seconds() >= 20 * resolutionSeconds;
    }

    public CpuTime minus(CpuTime earlier) {
        return new CpuTime(userSeconds - earlier.userSeconds, systemSeconds - earlier.systemSeconds, resolutionSeconds);
    }

    public CpuTime plus(CpuTime other) {
        return new CpuTime(
                userSeconds + other.userSeconds,
                systemSeconds + other.systemSeconds,
                Math.max(resolutionSeconds, other.resolutionSeconds));
    }
}
