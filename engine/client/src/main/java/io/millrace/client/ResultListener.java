// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Receives the results of a pipeline's commands, in the order of the commands, on the thread that calls the pipeline.
 *
 * <p>An exception of the listener is rethrown by {@link Pipeline#add} or {@link Pipeline#run}. No command is lost: a
 * command being added stays in the pipeline and must not be added again. The result that caused the exception is not
 * passed again. A later {@code add} or {@code run} continues with the next result. If {@code run} throws such an
 * exception, call it again until it returns.
 */
@FunctionalInterface
public interface ResultListener {

    /**
     * Called with the result of command number {@code index}, counted from 0 across all runs. Must not use its own
     * pipeline.
     */
    void ended(long index, Result<?> result);
}
