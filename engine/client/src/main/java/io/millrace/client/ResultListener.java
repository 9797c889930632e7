// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Is told how the commands of a pipeline ended, in their order, on the thread that adds and runs them. */
@FunctionalInterface
public interface ResultListener {

    /** The command with number {@code index}, counted from 0, has ended. Must not use the pipeline that tells it. */
    void ended(long index, Result<?> result);
}
