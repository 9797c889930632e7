// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** Is told what an approach does, at the moment it does it; by any thread. */
public interface Observer {

    /** A producer has got this batch, after its wait. */
    void produced(int batch);

    /** A consumer is done with this task, after its wait. */
    void consumed(int task);
}
