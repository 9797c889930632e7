// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** Receives an action that cancels the opening of a source, as soon as the opening can be cancelled. */
@FunctionalInterface
public interface OpeningListener {

    /**
     * Called on the opening thread, at most once.
     *
     * @param cancel ends the opening, or the reading after the opening. May be called on any thread, also more than
     *     once, and also after the reader is closed
     */
    void opening(Runnable cancel);
}
