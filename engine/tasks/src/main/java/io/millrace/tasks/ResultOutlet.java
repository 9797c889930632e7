// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/** An outlet at whose other end somebody takes the results, one thread at a time. */
interface ResultOutlet<T, R> extends Outlet<T> {

    /** The next; waits for it. Null if there is none and the outlet is closed. */
    @Nullable
    Outcome<T, R> take() throws InterruptedException;

    /** What is left after the flow has ended; null if nothing is. */
    @Nullable
    Outcome<T, R> takeLeft();
}
