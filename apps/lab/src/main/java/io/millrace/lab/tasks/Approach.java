// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** A way of having all tasks of a scenario produced and consumed. */
public interface Approach {

    /**
     * Goes through the scenario once, and returns when every task is consumed and every thread of its own has ended.
     */
    void run(Scenario scenario, Observer observer) throws Exception;
}
