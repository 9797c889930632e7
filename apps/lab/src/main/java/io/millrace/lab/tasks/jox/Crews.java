// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jox;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.Sink;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Producers and consumers at the two ends of a channel, a virtual thread each. The first failure closes the channel,
 * which ends them all.
 */
record Crews<T>(Channel<T> channel) {

    @FunctionalInterface
    interface Producer<T> {

        /** Sends the part of {@code producer}, 0 and up. */
        void send(int producer, Sink<T> channel) throws InterruptedException;
    }

    @FunctionalInterface
    private interface Part {

        void run() throws InterruptedException;
    }

    /**
     * Returns when the consumers have taken all that the producers have sent, and all of them have ended.
     *
     * @throws ExecutionException with what made the first of them fail
     */
    void run(int producers, Producer<T> producer, int consumers, Consumer<T> consumer)
            throws ExecutionException, InterruptedException {
        var sending = new AtomicInteger(producers);
        var outcome = new CompletableFuture<Boolean>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < producers; i++) {
                int number = i;
                threads.execute(endingAllOnFailure(outcome, () -> {
                    producer.send(number, channel);
                    if (sending.decrementAndGet() == 0) {
                        channel.done();
                    }
                }));
            }
            for (int i = 0; i < consumers; i++) {
                threads.execute(endingAllOnFailure(outcome, () -> channel.forEach(consumer)));
            }
        }
        outcome.complete(true);
        outcome.get();
    }

    /** A channel that is done takes no error any more, so the failure is also kept in {@code outcome}. */
    private Runnable endingAllOnFailure(CompletableFuture<Boolean> outcome, Part part) {
        return () -> {
            try {
                part.run();
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
                channel.errorOrClosed(e);
            }
        };
    }
}
