// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/**
 * A scenario prepares a state, starts a few threads that use this state concurrently, and checks the result.
 *
 * <p>A scenario class needs a constructor without arguments. For each schedule, a new scenario object is created on the
 * thread {@code main} of the schedule.
 *
 * <p>For each exploration, the classes of the scenario's package and of the instrumented packages are loaded again. So
 * their static fields are not the static fields that the test sees. All schedules of one exploration share these static
 * fields. A scenario must not depend on a static field that changes: the same seed would then not repeat the same
 * schedule.
 */
@FunctionalInterface
public interface InterleavingScenario {

    /** Runs on the thread {@code main} of the schedule. An exception or error fails the schedule. */
    void run(Schedule schedule) throws Exception;
}
