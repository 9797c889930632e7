// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.List;

/**
 * The options of an exploration.
 *
 * @param packages packages whose classes are woven, together with the classes of their subpackages
 * @param stepLimit number of decisions after which a schedule fails, because it is probably endless
 * @param plainAccess whether there are schedule points before reads and writes of plain fields and array elements
 * @param steadyTime whether the time of the schedule leaps to a deadline only if no thread can run
 * @param stallTimeout real time without a decision after which the exploration fails, because a thread blocks or loops
 *     outside of the schedule
 */
record SchedulePlan(
        List<String> packages, int stepLimit, boolean plainAccess, boolean steadyTime, Duration stallTimeout) {

    static final SchedulePlan DEFAULT = new SchedulePlan(List.of(), 20_000, true, false, Duration.ofSeconds(10));

    SchedulePlan {
        if (stepLimit < 1) {
            throw new IllegalArgumentException("stepLimit must be 1 or more: stepLimit=" + stepLimit);
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
