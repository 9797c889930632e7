// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Queues, futures, maps and random numbers of the JDK, waiting as the schedule wants it. Called by woven code. */
public final class ScheduledCalls {

    private ScheduledCalls() {}

    @Instead(of = BlockingQueue.class)
    public static <T> void put(BlockingQueue<T> queue, T element) throws InterruptedException {
        Task.required().awaitInterruptibly(() -> queue.remainingCapacity() > 0, Scheduler.NEVER, false);
        queue.add(element);
    }

    @Instead(of = BlockingQueue.class)
    public static <T> boolean offer(BlockingQueue<T> queue, T element, long time, TimeUnit unit)
            throws InterruptedException {
        Task me = Task.required();
        me.awaitInterruptibly(() -> queue.remainingCapacity() > 0, after(me, time, unit), false);
        return queue.offer(element);
    }

    @Instead(of = BlockingQueue.class)
    public static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        Task.required().awaitInterruptibly(() -> !queue.isEmpty(), Scheduler.NEVER, false);
        return queue.remove();
    }

    @Instead(of = BlockingQueue.class)
    public static <T> @Nullable T poll(BlockingQueue<T> queue, long time, TimeUnit unit) throws InterruptedException {
        Task me = Task.required();
        me.awaitInterruptibly(() -> !queue.isEmpty(), after(me, time, unit), false);
        return queue.poll();
    }

    @Instead(of = Future.class)
    public static <T extends @Nullable Object> T get(Future<T> future) throws InterruptedException, ExecutionException {
        Task.required().awaitInterruptibly(future::isDone, Scheduler.NEVER, false);
        return future.get();
    }

    @Instead(of = Future.class)
    public static <T extends @Nullable Object> T get(Future<T> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        Task me = Task.required();
        me.awaitInterruptibly(future::isDone, after(me, time, unit), false);
        return future.get(0, TimeUnit.NANOSECONDS);
    }

    @Instead(of = CompletableFuture.class)
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        Task.required().await(future::isDone);
        return future.join();
    }

    // A map calls these functions under a lock that the schedule does not see, so nobody else may go on meanwhile.

    @Instead(of = Map.class)
    public static <K, V> @Nullable V compute(
            Map<K, V> map, K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        return alone(() -> map.compute(key, function));
    }

    @Instead(of = Map.class)
    public static <K, V> @Nullable V computeIfAbsent(
            Map<K, V> map, K key, Function<? super K, ? extends @Nullable V> function) {
        return alone(() -> map.computeIfAbsent(key, function));
    }

    @Instead(of = Map.class)
    public static <K, V> @Nullable V computeIfPresent(
            Map<K, V> map, K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        return alone(() -> map.computeIfPresent(key, function));
    }

    @Instead(of = Map.class)
    public static <K, V> @Nullable V merge(
            Map<K, V> map, K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        return alone(() -> map.merge(key, value, function));
    }

    @Instead(of = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random) {
        return numbers().nextInt();
    }

    @Instead(of = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random, int bound) {
        return numbers().nextInt(bound);
    }

    @Instead(of = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random, int origin, int bound) {
        return numbers().nextInt(origin, bound);
    }

    @Instead(of = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random) {
        return numbers().nextLong();
    }

    @Instead(of = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random, long bound) {
        return numbers().nextLong(bound);
    }

    @Instead(of = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random, long origin, long bound) {
        return numbers().nextLong(origin, bound);
    }

    @Instead(of = ThreadLocalRandom.class)
    public static double nextDouble(ThreadLocalRandom random) {
        return numbers().nextDouble();
    }

    @Instead(of = ThreadLocalRandom.class)
    public static boolean nextBoolean(ThreadLocalRandom random) {
        return numbers().nextBoolean();
    }

    private static RandomGenerator numbers() {
        return Task.required().scheduler.numbers();
    }

    private static <T extends @Nullable Object> T alone(Supplier<T> action) {
        Task me = Task.required();
        me.uninterleaved++;
        try {
            return action.get();
        } finally {
            me.uninterleaved--;
        }
    }

    private static long after(Task me, long time, TimeUnit unit) {
        return me.scheduler.after(Math.max(0, unit.toNanos(time)));
    }
}
