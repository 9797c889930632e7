// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

/** Starts tasks that block a thread. Each task needs a thread, because the others do not end before the last starts. */
public interface BlockingPool extends AutoCloseable {

    /** Starts {@code task} and returns without waiting for its end. */
    void start(Runnable task) throws Exception;

    /** Waits until all started tasks have ended, and ends the threads of this pool. */
    @Override
    void close() throws Exception;
}
