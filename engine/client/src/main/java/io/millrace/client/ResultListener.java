// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Receives the results of a pipeline's commands, in the order of the commands, on the thread that calls the pipeline.
 *
 * <p>An exception of the listener is rethrown by {@link Pipeline#add} or {@link Pipeline#run}. The exception loses no
 * command: if {@code add} throws the exception, its command is in the pipeline and must not be added again. The
 * listener does not receive the result that caused the exception again. A later {@code add} or {@code run} continues
 * with the next result. If {@code run} throws such an exception, call {@code run} again until it returns.
 */
@FunctionalInterface
public interface ResultListener {

    /**
     * Called with the result of command number {@code index}, counted from 0 across all runs. The listener must not use
     * the pipeline that calls it.
     */
    void ended(long index, Result<?> result);
}
