// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.queue.QueueAdapter.Consumers;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads that take, do and acknowledge jobs, as programs write them around a blocking client. Each step waits
 * for jobs for at most a second, so that {@link #close} ends soon.
 */
final class ConsumerThreads implements Consumers {

    /** Takes, does and acknowledges jobs. */
    @FunctionalInterface
    interface Step {

        /** Returns the number of jobs that were done; 0 if no job arrived in time. */
        int run(int consumer) throws Exception;
    }

    private final LongAdder done = new LongAdder();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final List<Thread> threads;
    private volatile boolean isClosed;

    private ConsumerThreads(int number, Step step) {
        threads = IntStream.range(0, number)
                .mapToObj(consumer ->
                        Thread.ofPlatform().name("consumer-" + consumer).unstarted(() -> consume(consumer, step)))
                .toList();
    }

    static Consumers start(int number, Step step) {
        var consumers = new ConsumerThreads(number, step);
        consumers.threads.forEach(Thread::start);
        return consumers;
    }

    private void consume(int consumer, Step step) {
        try {
            while (!isClosed) {
                done.add(step.run(consumer));
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    @Override
    public long done() {
        return done.sum();
    }

    @Override
    public void check() throws Exception {
        Exception first = failure.get();
        if (first != null) {
            throw new IllegalStateException("a consumer of the queue failed.", first);
        }
    }

    @Override
    public void close() throws Exception {
        isClosed = true;
        for (Thread thread : threads) {
            thread.join();
        }
        check();
    }
}
