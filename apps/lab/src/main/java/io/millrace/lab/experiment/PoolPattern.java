// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.ConnectionPool;
import io.millrace.lab.library.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A way of sharing a pool of connections among threads, all of them of the operating system, started anew for each round.
 *
 * @param threads that send, the producer not among them
 * @param pool connections in the pool
 * @param waits whether each command waits for the reply of the one before on its connection
 */
record PoolPattern(String name, int threads, int pool, boolean waits, String note, Style style) {

    static final List<PoolPattern> ALL = List.of(
            new PoolPattern("threads-10-pool-8-kept", 10, 8, true, "each keeps its connection", PoolPattern::keep),
            new PoolPattern("threads-100-pool-8-kept", 100, 8, true, "each keeps its connection", PoolPattern::keep),
            new PoolPattern(
                    "threads-100-pool-8-returned",
                    100,
                    8,
                    true,
                    "the connection is returned after each set",
                    PoolPattern::giveBack),
            new PoolPattern(
                    "threads-100-pool-100-returned",
                    100,
                    100,
                    true,
                    "the connection is returned after each set",
                    PoolPattern::giveBack),
            new PoolPattern("pool-100-pipelined", 100, 100, false, "pipelines of 100", PoolPattern::pipeline),
            new PoolPattern(
                    "queue-10-pipelined",
                    10,
                    10,
                    false,
                    "a producer, a bounded queue, and 10 consumers with pipelines of 200 at most",
                    PoolPattern::consume));

    private static final int PIPELINE = 100;
    private static final int CONSUMED = 200;
    private static final int QUEUE = 10_000;
    private static final Pair END = new Pair("", "");

    /** How the threads go about it. */
    @FunctionalInterface
    interface Style {
        void run(PoolPattern pattern, ConnectionPool pool, List<Pair> pairs) throws Exception;
    }

    /** Sets all {@code pairs} and returns when each has been answered. */
    void run(ConnectionPool connections, List<Pair> pairs) throws Exception {
        style.run(this, connections, pairs);
    }

    private void keep(ConnectionPool connections, List<Pair> pairs) throws Exception {
        Callers.PLATFORM.run(threads, thread -> {
            try (var connection = connections.borrow()) {
                for (var pair : part(pairs, thread)) {
                    connection.set(pair);
                }
            }
        });
    }

    private void giveBack(ConnectionPool connections, List<Pair> pairs) throws Exception {
        Callers.PLATFORM.run(threads, thread -> {
            for (var pair : part(pairs, thread)) {
                try (var connection = connections.borrow()) {
                    connection.set(pair);
                }
            }
        });
    }

    private void pipeline(ConnectionPool connections, List<Pair> pairs) throws Exception {
        Callers.PLATFORM.run(threads, thread -> {
            var mine = part(pairs, thread);
            for (int from = 0; from < mine.size(); from += PIPELINE) {
                try (var connection = connections.borrow()) {
                    connection.setPipelined(mine.subList(from, Math.min(from + PIPELINE, mine.size())));
                }
            }
        });
    }

    /** The first of the threads produces, the others consume. */
    private void consume(ConnectionPool connections, List<Pair> pairs) throws Exception {
        var queue = new ArrayBlockingQueue<Pair>(QUEUE);
        var consumers = new AtomicInteger(threads);
        Callers.PLATFORM.run(threads + 1, thread -> {
            if (thread == 0) {
                produce(queue, pairs, consumers);
                return;
            }
            try (var connection = connections.borrow()) {
                consume(queue, connection);
            } finally {
                consumers.decrementAndGet();
            }
        });
    }

    /** Ends early if every consumer has: their failures are what is to be told. */
    private void produce(ArrayBlockingQueue<Pair> queue, List<Pair> pairs, AtomicInteger consumers)
            throws InterruptedException {
        for (var pair : pairs) {
            if (!put(queue, pair, consumers)) {
                return;
            }
        }
        for (int i = 0; i < threads; i++) {
            if (!put(queue, END, consumers)) {
                return;
            }
        }
    }

    /** Waits for room as long as somebody makes room; says whether there was. */
    private static boolean put(ArrayBlockingQueue<Pair> queue, Pair pair, AtomicInteger consumers)
            throws InterruptedException {
        while (!queue.offer(pair, 100, TimeUnit.MILLISECONDS)) {
            if (consumers.get() == 0) {
                return false;
            }
        }
        return true;
    }

    private static void consume(ArrayBlockingQueue<Pair> queue, ConnectionPool.Borrowed connection) throws Exception {
        var batch = new ArrayList<Pair>(CONSUMED);
        var next = queue.take();
        while (!next.equals(END)) {
            batch.add(next);
            queue.drainTo(batch, CONSUMED - 1);
            int ends = batch.size();
            batch.removeIf(END::equals);
            for (int i = batch.size(); i < ends; i++) {
                queue.put(END); // it was for another
            }
            connection.setPipelined(batch);
            batch.clear();
            next = queue.take();
        }
    }

    /** What {@code thread} has to do: a slice of its own. */
    private List<Pair> part(List<Pair> pairs, int thread) {
        long size = pairs.size();
        return pairs.subList((int) (size * thread / threads), (int) (size * (thread + 1) / threads));
    }
}
