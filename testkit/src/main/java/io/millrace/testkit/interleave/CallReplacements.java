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

/**
 * Replacements for methods of queues, futures, maps and random numbers of the JDK. They wait under the control of the
 * schedule. The weaver changes the calls in the code under test, so that the code calls these methods.
 */
public final class CallReplacements {

    private CallReplacements() {}

    @Replaces(type = BlockingQueue.class)
    public static <T> void put(BlockingQueue<T> queue, T element) throws InterruptedException {
        ScheduledThread.required().awaitInterruptibly(() -> queue.remainingCapacity() > 0, Scheduler.NEVER, false);
        queue.add(element);
    }

    @Replaces(type = BlockingQueue.class)
    public static <T> boolean offer(BlockingQueue<T> queue, T element, long time, TimeUnit unit)
            throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> queue.remainingCapacity() > 0, after(me, time, unit), false);
        return queue.offer(element);
    }

    @Replaces(type = BlockingQueue.class)
    public static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        ScheduledThread.required().awaitInterruptibly(() -> !queue.isEmpty(), Scheduler.NEVER, false);
        return queue.remove();
    }

    @Replaces(type = BlockingQueue.class)
    public static <T> @Nullable T poll(BlockingQueue<T> queue, long time, TimeUnit unit) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> !queue.isEmpty(), after(me, time, unit), false);
        return queue.poll();
    }

    @Replaces(type = Future.class)
    public static <T extends @Nullable Object> T get(Future<T> future) throws InterruptedException, ExecutionException {
        ScheduledThread.required().awaitInterruptibly(future::isDone, Scheduler.NEVER, false);
        return future.get();
    }

    @Replaces(type = Future.class)
    public static <T extends @Nullable Object> T get(Future<T> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(future::isDone, after(me, time, unit), false);
        return future.get(0, TimeUnit.NANOSECONDS);
    }

    @Replaces(type = CompletableFuture.class)
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        ScheduledThread.required().await(future::isDone);
        return future.join();
    }

    // A map holds an internal lock while it calls the given function. The schedule does not control this lock. So no
    // other thread may run until the map method returns.

    @Replaces(type = Map.class)
    public static <K, V> @Nullable V compute(
            Map<K, V> map, K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        return alone(() -> map.compute(key, function));
    }

    @Replaces(type = Map.class)
    public static <K, V> @Nullable V computeIfAbsent(
            Map<K, V> map, K key, Function<? super K, ? extends @Nullable V> function) {
        return alone(() -> map.computeIfAbsent(key, function));
    }

    @Replaces(type = Map.class)
    public static <K, V> @Nullable V computeIfPresent(
            Map<K, V> map, K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        return alone(() -> map.computeIfPresent(key, function));
    }

    @Replaces(type = Map.class)
    public static <K, V> @Nullable V merge(
            Map<K, V> map, K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        return alone(() -> map.merge(key, value, function));
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random) {
        return numbers().nextInt();
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random, int bound) {
        return numbers().nextInt(bound);
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static int nextInt(ThreadLocalRandom random, int origin, int bound) {
        return numbers().nextInt(origin, bound);
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random) {
        return numbers().nextLong();
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random, long bound) {
        return numbers().nextLong(bound);
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static long nextLong(ThreadLocalRandom random, long origin, long bound) {
        return numbers().nextLong(origin, bound);
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static double nextDouble(ThreadLocalRandom random) {
        return numbers().nextDouble();
    }

    @Replaces(type = ThreadLocalRandom.class)
    public static boolean nextBoolean(ThreadLocalRandom random) {
        return numbers().nextBoolean();
    }

    private static RandomGenerator numbers() {
        return ScheduledThread.required().scheduler.numbers();
    }

    private static <T extends @Nullable Object> T alone(Supplier<T> action) {
        ScheduledThread me = ScheduledThread.required();
        me.noSwitchDepth++;
        try {
            return action.get();
        } finally {
            me.noSwitchDepth--;
        }
    }

    private static long after(ScheduledThread me, long time, TimeUnit unit) {
        return me.scheduler.after(Math.max(0, unit.toNanos(time)));
    }
}
