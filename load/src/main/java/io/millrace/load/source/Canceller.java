// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import org.jspecify.annotations.Nullable;

/**
 * Cancels the current step of an opening or a reading. Each step replaces the action of the step before it. After a
 * cancellation, the action of each later step runs at once. Thread-safe.
 */
final class Canceller {

    private volatile @Nullable Runnable action;
    private volatile boolean cancelled;

    /** The current step can be cancelled with {@code newAction}. */
    void use(Runnable newAction) {
        action = newAction;
        // The flag is read after the action is published. So a concurrent cancel, which writes the flag first, either
        // finds the action or is noticed here.
        if (cancelled) {
            newAction.run();
        }
    }

    /** The last step has ended. */
    void clear() {
        action = null;
    }

    void cancel() {
        cancelled = true;
        Runnable current = action;
        if (current != null) {
            current.run();
        }
    }
}
