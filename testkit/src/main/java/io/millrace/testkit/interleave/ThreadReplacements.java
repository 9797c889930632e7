// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replacements for the methods of the JDK that concern threads, parking, interrupts and clocks. The weaver changes the
 * calls in the code under test, so that the code calls these methods.
 */
public final class ThreadReplacements {

    private ThreadReplacements() {}

    @Replaces(type = LockSupport.class)
    public static void park() {
        ScheduledThread.required().park(Scheduler.NEVER);
    }

    @Replaces(type = LockSupport.class)
    public static void park(@Nullable Object blocker) {
        park();
    }

    @Replaces(type = LockSupport.class)
    public static void parkNanos(long nanos) {
        ScheduledThread me = ScheduledThread.required();
        if (nanos > 0) {
            me.park(me.scheduler.after(nanos));
        }
    }

    @Replaces(type = LockSupport.class)
    public static void parkNanos(@Nullable Object blocker, long nanos) {
        parkNanos(nanos);
    }

    @Replaces(type = LockSupport.class)
    public static void unpark(@Nullable Thread thread) {
        if (thread != null) {
            task(thread).unpark();
        }
    }

    @Replaces(type = Thread.class)
    public static void onSpinWait() {
        ScheduledThread me = ScheduledThread.required();
        me.scheduler.switchThread(me, true);
    }

    @Replaces(type = Thread.class)
    @SuppressWarnings("NamedLikeContextualKeyword") // The name is given by the JDK.
    public static void yield() {
        onSpinWait();
    }

    @Replaces(type = Thread.class)
    public static void sleep(long millis) throws InterruptedException {
        sleep(Duration.ofMillis(millis));
    }

    @Replaces(type = Thread.class)
    public static void sleep(Duration duration) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> false, me.scheduler.after(Math.max(0, nanos(duration))), false);
    }

    @Replaces(type = Thread.class)
    public static void interrupt(Thread thread) {
        task(thread).interrupted = true;
    }

    @Replaces(type = Thread.class)
    public static boolean isInterrupted(Thread thread) {
        return task(thread).interrupted;
    }

    @Replaces(type = Thread.class)
    public static boolean interrupted() {
        return ScheduledThread.required().clearInterrupt();
    }

    @Replaces(type = Thread.class)
    public static void start(Thread thread) {
        ScheduledThread.required().scheduler.start(task(thread));
    }

    @Replaces(type = Thread.class)
    public static boolean isAlive(Thread thread) {
        return task(thread).isLive();
    }

    /** Whether the code under test has created the thread as a virtual thread. */
    @Replaces(type = Thread.class)
    public static boolean isVirtual(Thread thread) {
        return task(thread).virtual;
    }

    /**
     * The number of the thread in its schedule, in place of its id. The id that the JDK assigns would differ from run
     * to run.
     */
    @Replaces(type = Thread.class)
    public static long threadId(Thread thread) {
        return task(thread).index;
    }

    @Replaces(type = Thread.class)
    public static void join(Thread thread) throws InterruptedException {
        ScheduledThread.required().awaitInterruptibly(hasEnded(thread), Scheduler.NEVER, false);
    }

    @Replaces(type = Thread.class)
    public static void join(Thread thread, long millis) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        long until = millis == 0 ? Scheduler.NEVER : me.scheduler.after(nanos(Duration.ofMillis(millis)));
        me.awaitInterruptibly(hasEnded(thread), until, false);
    }

    @Replaces(type = Thread.class)
    public static boolean join(Thread thread, Duration duration) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        BooleanSupplier ended = hasEnded(thread);
        me.awaitInterruptibly(ended, me.scheduler.after(Math.max(0, nanos(duration))), false);
        return ended.getAsBoolean();
    }

    @Replaces(type = Thread.class)
    public static Thread startVirtualThread(Runnable body) {
        return start(Thread.ofVirtual(), body);
    }

    @Replaces(type = Thread.Builder.class)
    public static Thread start(Thread.Builder builder, Runnable body) {
        Thread thread = unstarted(builder, body);
        start(thread);
        return thread;
    }

    @Replaces(type = Thread.Builder.class)
    public static Thread unstarted(Thread.Builder builder, Runnable body) {
        // A builder has no method that returns its thread name. So create a thread with the builder, only to read its
        // name. This also advances the counter of the builder, as a real thread would.
        String name = builder.unstarted(() -> {}).getName();
        Scheduler scheduler = ScheduledThread.required().scheduler;
        boolean virtual = builder instanceof Thread.Builder.OfVirtual;
        return scheduler
                .newTask(name.isEmpty() ? "thread" : name, virtual, body::run)
                .thread();
    }

    @Replaces(type = Thread.Builder.class)
    public static ThreadFactory factory(Thread.Builder builder) {
        return body -> unstarted(builder, body);
    }

    @Replaces(type = System.class)
    public static long nanoTime() {
        return ScheduledThread.required().scheduler.nanoTime();
    }

    /** Milliseconds since the schedule started. */
    @Replaces(type = System.class)
    public static long currentTimeMillis() {
        return Duration.ofNanos(ScheduledThread.required().scheduler.now()).toMillis();
    }

    private static BooleanSupplier hasEnded(Thread thread) {
        ScheduledThread scheduledThread = task(thread);
        return () -> !scheduledThread.isLive();
    }

    private static ScheduledThread task(Thread thread) {
        ScheduledThread scheduledThread = ScheduledThread.required().scheduler.taskOf(thread);
        if (scheduledThread == null) {
            throw new IllegalStateException("a thread does not belong to the schedule that uses it: name="
                    + thread.getName() + ". Create the thread in instrumented code that runs in the same schedule.");
        }
        return scheduledThread;
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofDays(100_000)) > 0 ? Scheduler.NEVER : duration.toNanos();
    }
}
