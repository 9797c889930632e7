// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Is told how the commands of a pipeline ended, in their order, on the thread that adds and runs them.
 *
 * <p>What it throws comes out of {@link Pipeline#add} or {@link Pipeline#run}, whichever was telling it. No command is lost by
 * it: one that was being added is in the pipeline and must not be added again, and all of them go on. The result for which it
 * threw counts as told; it is told from the next one on by a later {@code add} or by {@code run}, which is to be called again if
 * it threw, until it returns.
 */
@FunctionalInterface
public interface ResultListener {

    /**
     * The command with number {@code index}, counted from 0 over all runs, has ended. Must not use the pipeline that tells it.
     */
    void ended(long index, Result<?> result);
}
