// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/**
 * A scenario: prepares a state, starts a few threads that work on it concurrently, and checks the result.
 *
 * <p>A scenario has a constructor without arguments. A new scenario object is made for each schedule, on the schedule's
 * thread {@code main}. The scenario's package and the instrumented packages are loaded again for each exploration, so
 * the test has other static fields than the scenario. Static fields keep their values from schedule to schedule. A
 * static field that changes must not influence the scenario, because the seed would then not repeat its schedule.
 */
@FunctionalInterface
public interface InterleavingScenario {

    /** Runs on the thread {@code main} of the schedule. An exception or error fails the schedule. */
    void run(Schedule schedule) throws Exception;
}
