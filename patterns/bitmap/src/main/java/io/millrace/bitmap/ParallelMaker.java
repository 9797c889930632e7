// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Computes numbered pieces with several worker threads. The calling thread receives the pieces in the order of their
 * numbers. To limit the memory, at most two pieces per worker thread are in progress or wait for the calling thread.
 *
 * @param threads the number of threads
 */
record ParallelMaker(int threads) {

    private static final ThreadFactory FACTORY =
            Thread.ofPlatform().name("millrace-bitmap-", 1).daemon(true).factory();

    /**
     * Computes the pieces 0 to {@code count - 1} with {@code maker}, and passes them to {@code taker} in order. If
     * {@code maker} or {@code taker} fails, the other pieces are cancelled. Returns after all threads have ended.
     *
     * @throws BitmapException if the calling thread is interrupted. The interrupt flag stays set
     */
    <T> void inOrder(long count, LongFunction<T> maker, Consumer<? super T> taker) {
        if (count == 1 || threads == 1) {
            for (long number = 0; number < count; number++) {
                throwIfInterrupted();
                taker.accept(maker.apply(number));
            }
            return;
        }
        ExecutorService workers = Executors.newFixedThreadPool((int) Math.min(threads, count), FACTORY);
        try {
            Deque<Future<T>> ahead = new ArrayDeque<>();
            long next = 0;
            for (long taken = 0; taken < count; taken++) {
                while (next < count && ahead.size() < 2 * threads) {
                    long number = next++;
                    Callable<T> piece = () -> maker.apply(number);
                    ahead.add(workers.submit(piece));
                }
                taker.accept(result(ahead.remove()));
            }
        } finally {
            end(workers);
        }
    }

    private static void throwIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(null);
        }
    }

    private static BitmapException interrupted(@Nullable Throwable cause) {
        return new BitmapException(
                "the thread was interrupted while bits were computed. There is no result. Repeat the call.", cause);
    }

    private static <T> T result(Future<T> piece) {
        try {
            return piece.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new BitmapException("bits could not be computed. See the cause.", e);
            }
        }
    }

    /** Interrupts the worker threads and waits until they have ended. */
    private static void end(ExecutorService workers) {
        workers.shutdownNow();
        boolean interrupted = Thread.interrupted();
        workers.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
