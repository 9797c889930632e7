// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.List;

/**
 * How schedules are run and what is woven.
 *
 * @param packages whose classes are woven, with their subpackages
 * @param stepLimit decisions after which a schedule is held to be a livelock
 * @param plainAccess whether plain fields and array elements have points
 * @param steadyTime whether time leaps only when nobody can run
 * @param patience how long nothing may move before a thread is held to block where no schedule sees it
 */
record Plan(List<String> packages, int stepLimit, boolean plainAccess, boolean steadyTime, Duration patience) {

    static final Plan DEFAULT = new Plan(List.of(), 20_000, true, false, Duration.ofSeconds(10));

    Plan {
        if (stepLimit < 1) {
            throw new IllegalArgumentException("a step limit is 1 or more: stepLimit=" + stepLimit);
        }
        packages = List.copyOf(packages);
    }

    Plan packages(List<String> value) {
        return new Plan(value, stepLimit, plainAccess, steadyTime, patience);
    }

    Plan stepLimit(int value) {
        return new Plan(packages, value, plainAccess, steadyTime, patience);
    }

    Plan withoutPlainAccess() {
        return new Plan(packages, stepLimit, false, steadyTime, patience);
    }

    Plan withSteadyTime() {
        return new Plan(packages, stepLimit, plainAccess, true, patience);
    }

    Plan patience(Duration value) {
        return new Plan(packages, stepLimit, plainAccess, steadyTime, value);
    }
}
