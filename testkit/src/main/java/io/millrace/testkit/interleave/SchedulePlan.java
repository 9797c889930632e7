// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.List;

/**
 * How schedules are run and which classes are woven.
 *
 * @param packages packages whose classes are woven, with their subpackages
 * @param stepLimit number of decisions after which a schedule counts as a livelock
 * @param plainAccess whether accesses of plain fields and array elements have points
 * @param steadyTime whether the schedule's time leaps to a deadline only when no thread can run
 * @param stallTimeout time without progress after which a thread counts as blocked outside of the schedule
 */
record SchedulePlan(
        List<String> packages, int stepLimit, boolean plainAccess, boolean steadyTime, Duration stallTimeout) {

    static final SchedulePlan DEFAULT = new SchedulePlan(List.of(), 20_000, true, false, Duration.ofSeconds(10));

    SchedulePlan {
        if (stepLimit < 1) {
            throw new IllegalArgumentException("a step limit is 1 or more: stepLimit=" + stepLimit);
        }
        packages = List.copyOf(packages);
    }

    SchedulePlan packages(List<String> value) {
        return new SchedulePlan(value, stepLimit, plainAccess, steadyTime, stallTimeout);
    }

    SchedulePlan stepLimit(int value) {
        return new SchedulePlan(packages, value, plainAccess, steadyTime, stallTimeout);
    }

    SchedulePlan withoutPlainAccess() {
        return new SchedulePlan(packages, stepLimit, false, steadyTime, stallTimeout);
    }

    SchedulePlan withSteadyTime() {
        return new SchedulePlan(packages, stepLimit, plainAccess, true, stallTimeout);
    }

    SchedulePlan stallTimeout(Duration value) {
        return new SchedulePlan(packages, stepLimit, plainAccess, steadyTime, value);
    }
}
