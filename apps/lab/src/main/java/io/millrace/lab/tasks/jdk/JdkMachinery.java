// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jdk;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.tasks.Machinery;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** Threads around a bounded blocking queue. */
record JdkMachinery(Callers threads) implements Machinery {

    private static final int CAPACITY = 1_000;

    /** Stands in the queue behind the last number, once for each consumer. */
    private static final Long END = -1L;

    @Override
    public void run(int producers, int consumers, long tasks, LongConsumer work) throws Exception {
        var queue = new ArrayBlockingQueue<Long>(CAPACITY);
        var producing = new AtomicInteger(producers);
        threads.run(producers + consumers, caller -> {
            if (caller < producers) {
                for (long n = tasks * caller / producers; n < tasks * (caller + 1) / producers; n++) {
                    queue.put(n);
                }
                if (producing.decrementAndGet() == 0) {
                    end(queue, consumers);
                }
            } else {
                for (var n = queue.take(); n >= 0; n = queue.take()) {
                    work.accept(n);
                }
            }
        });
    }

    private static void end(BlockingQueue<Long> queue, int consumers) throws InterruptedException {
        for (int i = 0; i < consumers; i++) {
            queue.put(END);
        }
    }
}
