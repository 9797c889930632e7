// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** A program that produces and consumes all tasks of a scenario. */
@FunctionalInterface
public interface Approach {

    /** Runs the scenario once. Returns when every task is consumed and every thread of the approach has ended. */
    void run(TaskScenario scenario, Observer observer) throws Exception;

    /** Receives each step of an approach at the moment of the step. Any thread may call the methods. */
    interface Observer {

        /** A producer has waited for batch {@code batch}. The batch is complete now. */
        void produced(int batch);

        /** A consumer has waited for task {@code task}. The task is finished now. */
        void consumed(int task);
    }
}
