// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Threads, parking, interrupts and clocks of a schedule, in the place of the JDK's. Called by woven code. */
public final class ScheduledThreads {

    private ScheduledThreads() {}

    @Instead(of = LockSupport.class)
    public static void park() {
        Task.required().park(Scheduler.NEVER);
    }

    @Instead(of = LockSupport.class)
    public static void park(@Nullable Object blocker) {
        park();
    }

    @Instead(of = LockSupport.class)
    public static void parkNanos(long nanos) {
        Task me = Task.required();
        if (nanos > 0) {
            me.park(me.scheduler.after(nanos));
        }
    }

    @Instead(of = LockSupport.class)
    public static void parkNanos(@Nullable Object blocker, long nanos) {
        parkNanos(nanos);
    }

    @Instead(of = LockSupport.class)
    public static void unpark(@Nullable Thread thread) {
        if (thread != null) {
            task(thread).unpark();
        }
    }

    @Instead(of = Thread.class)
    public static void onSpinWait() {
        Task me = Task.required();
        me.scheduler.yieldTo(me, true);
    }

    @Instead(of = Thread.class)
    @SuppressWarnings("NamedLikeContextualKeyword") // The JDK's name.
    public static void yield() {
        onSpinWait();
    }

    @Instead(of = Thread.class)
    public static void sleep(long millis) throws InterruptedException {
        sleep(Duration.ofMillis(millis));
    }

    @Instead(of = Thread.class)
    public static void sleep(Duration duration) throws InterruptedException {
        Task me = Task.required();
        me.awaitInterruptibly(() -> false, me.scheduler.after(Math.max(0, nanos(duration))), false);
    }

    @Instead(of = Thread.class)
    public static void interrupt(Thread thread) {
        task(thread).interrupted = true;
    }

    @Instead(of = Thread.class)
    public static boolean isInterrupted(Thread thread) {
        return task(thread).interrupted;
    }

    @Instead(of = Thread.class)
    public static boolean interrupted() {
        return Task.required().clearInterrupt();
    }

    @Instead(of = Thread.class)
    public static void start(Thread thread) {
        Task.required().scheduler.start(task(thread));
    }

    @Instead(of = Thread.class)
    public static boolean isAlive(Thread thread) {
        return task(thread).isLive();
    }

    /** The number of the thread in its schedule: the JDK's would be another in each run. */
    @Instead(of = Thread.class)
    public static long threadId(Thread thread) {
        return task(thread).index;
    }

    @Instead(of = Thread.class)
    public static void join(Thread thread) throws InterruptedException {
        Task.required().awaitInterruptibly(hasEnded(thread), Scheduler.NEVER, false);
    }

    @Instead(of = Thread.class)
    public static void join(Thread thread, long millis) throws InterruptedException {
        Task me = Task.required();
        long until = millis == 0 ? Scheduler.NEVER : me.scheduler.after(nanos(Duration.ofMillis(millis)));
        me.awaitInterruptibly(hasEnded(thread), until, false);
    }

    @Instead(of = Thread.class)
    public static boolean join(Thread thread, Duration duration) throws InterruptedException {
        Task me = Task.required();
        BooleanSupplier ended = hasEnded(thread);
        me.awaitInterruptibly(ended, me.scheduler.after(Math.max(0, nanos(duration))), false);
        return ended.getAsBoolean();
    }

    @Instead(of = Thread.class)
    public static Thread startVirtualThread(Runnable body) {
        return start(Thread.ofVirtual(), body);
    }

    @Instead(of = Thread.Builder.class)
    public static Thread start(Thread.Builder builder, Runnable body) {
        Thread thread = unstarted(builder, body);
        start(thread);
        return thread;
    }

    @Instead(of = Thread.Builder.class)
    public static Thread unstarted(Thread.Builder builder, Runnable body) {
        // A builder does not tell its name, but a thread of it does, and counts on as it should.
        String name = builder.unstarted(() -> {}).getName();
        Scheduler scheduler = Task.required().scheduler;
        return scheduler.newTask(name.isEmpty() ? "thread" : name, body::run).thread();
    }

    @Instead(of = Thread.Builder.class)
    public static ThreadFactory factory(Thread.Builder builder) {
        return body -> unstarted(builder, body);
    }

    @Instead(of = System.class)
    public static long nanoTime() {
        return Task.required().scheduler.nanoTime();
    }

    /** Milliseconds since the schedule started. */
    @Instead(of = System.class)
    public static long currentTimeMillis() {
        return Duration.ofNanos(Task.required().scheduler.now()).toMillis();
    }

    private static BooleanSupplier hasEnded(Thread thread) {
        Task task = task(thread);
        return () -> !task.isLive();
    }

    private static Task task(Thread thread) {
        Task task = Task.required().scheduler.taskOf(thread);
        if (task == null) {
            throw new IllegalStateException("a thread that the schedule does not know: name=" + thread.getName()
                    + ". Make it in instrumented code, in the schedule that uses it.");
        }
        return task;
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofDays(100_000)) > 0 ? Scheduler.NEVER : duration.toNanos();
    }
}
