// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/** Results as they come, bounded in number. */
final class UnorderedResults<T, R> implements ResultOutlet<T, R> {

    private final Buffer<Outcome<T, R>> buffer;

    UnorderedResults(int capacity) {
        this.buffer = new Buffer<>(capacity, 1);
    }

    @Override
    @SuppressWarnings("unchecked") // the results are of this flow's work
    public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {
        var unused = buffer.put((Outcome<T, R>) outcome, 0); // if not, the flow is dropped, and its results with it
    }

    @Override
    public @Nullable Outcome<T, R> take() throws InterruptedException {
        return buffer.take(0);
    }

    @Override
    public @Nullable Outcome<T, R> takeLeft() {
        return buffer.poll(0);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
