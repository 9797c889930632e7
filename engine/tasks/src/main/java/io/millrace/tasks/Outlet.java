// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** Where the outcomes of a flow go to, beside its account. */
interface Outlet<T> {

    /** Nowhere. */
    static <T> Outlet<T> none() {
        return new Outlet<>() {
            @Override
            public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {}

            @Override
            public void close() {}
        };
    }

    /** Hands on what became of a task; waits while whoever takes them is behind. Called by workers, several at once. */
    void deliver(Entry<T> entry, Outcome<T, ?> outcome);

    /** Says that nobody may wait in {@link #deliver} any more. */
    void close();
}
