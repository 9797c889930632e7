// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/** Results in the order of completion, in a bounded buffer. */
final class UnorderedResults<T, R> implements ResultQueue<T, R> {

    private final Buffer<Outcome<T, R>> buffer;

    UnorderedResults(int capacity) {
        this.buffer = new Buffer<>(capacity, 1);
    }

    @Override
    @SuppressWarnings("unchecked") // the results were computed by this flow
    public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {
        var unused = buffer.put((Outcome<T, R>) outcome, 0); // false only if the flow is dropped
    }

    @Override
    public @Nullable Outcome<T, R> take() throws InterruptedException {
        return buffer.take(0);
    }

    @Override
    public @Nullable Outcome<T, R> takeRemaining() {
        return buffer.poll(0);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
