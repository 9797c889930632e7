// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** A program that produces and consumes all tasks of a scenario. */
@FunctionalInterface
public interface Approach {

    /** Runs the scenario once. Returns when every task is consumed and every thread of the approach has ended. */
    void run(TaskScenario scenario, TaskObserver observer) throws Exception;
}
