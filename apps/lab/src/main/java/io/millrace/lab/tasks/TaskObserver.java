// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** Receives each step of an approach at the moment of the step. Any thread may call the methods. */
public interface TaskObserver {

    /** A producer has waited for batch {@code batch}. The batch is complete now. */
    void produced(int batch);

    /** A consumer has waited for task {@code task}. The task is finished now. */
    void consumed(int task);
}
