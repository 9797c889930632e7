// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Receives the results of a pipeline's commands, in the order of the commands, on the thread that calls the pipeline.
 *
 * <p>If the listener throws an exception, the current call of {@link Pipeline#add} or {@link Pipeline#run} throws the
 * same exception. No command is lost. If {@code add} throws the exception, the pipeline already contains the command,
 * and the caller must not add the command again. The listener does not receive the same result a second time: the next
 * call of {@code add} or {@code run} continues with the next result. If {@code run} throws the exception, the caller
 * must call {@code run} again, until {@code run} returns without an exception.
 */
@FunctionalInterface
public interface ResultListener {

    /**
     * Called with the result of command number {@code index}, counted from 0 across all runs. The listener must not use
     * the pipeline that calls it.
     */
    void ended(long index, Result<?> result);
}
