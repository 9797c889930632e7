// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Is told how the commands of a pipeline ended, in their order, on the thread that adds and runs them. What it throws reaches
 * the caller of {@link Pipeline#add} or {@link Pipeline#run}: nothing is lost by it, a command that was being added is added,
 * and the next call goes on with the next result.
 */
@FunctionalInterface
public interface ResultListener {

    /**
     * The command with number {@code index}, counted from 0 over all runs, has ended. Must not use the pipeline that tells it.
     */
    void ended(long index, Result<?> result);
}
