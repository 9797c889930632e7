// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Tests that parking, interrupts, locks and time in a schedule behave as in the JDK. */
class ThreadReplacementsTest {

    @Test
    void parkReturnsIfTheThreadWasUnparkedBefore() {
        Schedules.of(PermitFirst.class).explore(500);
    }

    @Test
    void twoUnparksBeforeAParkReleaseOnlyOnePark() {
        assertThatThrownBy(() -> Schedules.of(TwoPermits.class).explore(100)).hasMessageContaining("deadlock");
    }

    @Test
    void parkingEndsSpuriouslyWithSomeSeeds() {
        ExplorationStats explorationStats = Schedules.of(ParkedOnce.class).explore(2_000);

        assertThat(explorationStats.outcomes()).containsKeys("unparked", "spurious");
        assertThat(explorationStats.count("spurious")).isLessThan(explorationStats.count("unparked") / 4);
    }

    @Test
    void parkNanosEndsAfterATimeoutOrAnUnparkOrAnInterrupt() {
        ExplorationStats explorationStats =
                Schedules.of(ParkedForAMillisecond.class).explore(2_000);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("in time", "too late", "interrupted");
    }

    @Test
    void noDeadlinePassesWithSteadyTimeWhileAThreadCanRun() {
        Schedules withEarlyDeadlines = Schedules.of(QuickAnswer.class);

        assertThat(withEarlyDeadlines.explore(2_000).outcomes()).containsOnlyKeys("answered", "timed out");
        assertThat(withEarlyDeadlines.withSteadyTime().explore(2_000).outcomes())
                .containsOnlyKeys("answered");
    }

    @Test
    void timeLeapsOnlyCountWaitsThatTheirDeadlinesEnded() {
        ExplorationStats explorationStats =
                Schedules.of(UnparkedOrNot.class).withSteadyTime().explore(200);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("unparked, leaps=0", "not unparked, leaps=1");
    }

    @Test
    void threadIsVirtualIfTheCodeUnderTestHasCreatedItSo() {
        Schedules.of(KindsOfThreads.class).explore(10);
    }

    /** One thread parks for a second. In half of the schedules, another thread unparks it. */
    static class UnparkedOrNot implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            AtomicInteger unparked = new AtomicInteger();
            boolean unparks = schedule.random().nextBoolean();
            Thread parked = schedule.thread("parked", () -> {
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                for (long left = 1; unparked.get() == 0 && left > 0; left = until - System.nanoTime()) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                }
            });
            if (unparks) {
                unparked.set(1);
                LockSupport.unpark(parked);
            }
            schedule.join();
            schedule.outcome((unparks ? "unparked" : "not unparked") + ", leaps=" + schedule.timeLeaps());
        }
    }

    static class KindsOfThreads implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertThat(schedule.thread("virtual", () -> {}).isVirtual()).isTrue();
            assertThat(schedule.platformThread("platform", () -> {}).isVirtual())
                    .isFalse();
            assertThat(Thread.ofVirtual().unstarted(() -> {}).isVirtual()).isTrue();
            assertThat(Thread.ofPlatform().daemon().unstarted(() -> {}).isVirtual())
                    .isFalse();
            schedule.join();
        }
    }

    @Test
    void sleepOfADayTakesLessThanAMinuteOfRealTime() {
        long before = System.nanoTime();

        ExplorationStats explorationStats = Schedules.of(Sleeper.class).explore(10);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("slept");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void interruptEndsEveryInterruptibleWait() {
        ExplorationStats explorationStats = Schedules.of(Interrupts.class).explore(500);

        assertThat(explorationStats.outcomes())
                .containsOnlyKeys("sleep", "queue", "latch", "semaphore", "lock", "condition", "join", "future");
    }

    @Test
    void threadsStartedByTheCodeUnderTestBelongToTheSchedule() {
        ExplorationStats explorationStats = Schedules.of(StartsOwnThreads.class).explore(500);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("worker-0 worker-1 3");
    }

    @Test
    void randomNumbersDependOnTheSeedOnly() {
        Schedules schedules = Schedules.of(Dice.class);

        assertThat(schedules.explore(1, 5).outcomes())
                .isEqualTo(schedules.explore(1, 5).outcomes());
        assertThat(schedules.explore(1, 5).outcomes())
                .isNotEqualTo(schedules.explore(1, 6).outcomes());
    }

    @Test
    void timedWaitsSucceedOrTimeOutDependingOnTheSeed() {
        ExplorationStats explorationStats = Schedules.of(TimedWaits.class).explore(1_000);

        assertThat(explorationStats.outcomes()).containsOnlyKeys("got all", "got some", "got none");
    }

    static class PermitFirst implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            Thread main = Thread.currentThread();
            schedule.thread("other", () -> LockSupport.unpark(main));
            LockSupport.park();
        }
    }

    static class TwoPermits implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
            LockSupport.park();
        }
    }

    static class ParkedOnce implements InterleavingScenario {

        private volatile boolean unparked;

        @Override
        public void run(Schedule schedule) {
            Thread parked = schedule.thread("parked", () -> {
                LockSupport.park();
                schedule.outcome(unparked ? "unparked" : "spurious");
            });
            schedule.thread("other", () -> {
                unparked = true;
                LockSupport.unpark(parked);
            });
        }
    }

    static class ParkedForAMillisecond implements InterleavingScenario {

        private volatile boolean event;

        @Override
        public void run(Schedule schedule) {
            long deadline = System.nanoTime() + 1_000_000;
            Thread parked = schedule.thread("parked", () -> {
                while (!event
                        && deadline - System.nanoTime() > 0
                        && !Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(this, deadline - System.nanoTime());
                }
                schedule.outcome(event ? "in time" : Thread.interrupted() ? "interrupted" : "too late");
            });
            schedule.thread("event", () -> {
                if (schedule.random().nextBoolean()) {
                    Thread.sleep(schedule.random().nextInt(3));
                    event = true;
                    LockSupport.unpark(parked);
                } else {
                    parked.interrupt();
                }
            });
        }
    }

    static class QuickAnswer implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) throws Exception {
            CompletableFuture<String> answer = new CompletableFuture<>();
            schedule.thread("answerer", () -> answer.complete("answered"));
            try {
                schedule.outcome(answer.get(1, TimeUnit.SECONDS));
            } catch (java.util.concurrent.TimeoutException e) {
                schedule.outcome("timed out");
            }
        }
    }

    static class Sleeper implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) throws InterruptedException {
            long before = System.nanoTime();
            Thread.sleep(Duration.ofDays(1));
            boolean slept = System.nanoTime() - before >= Duration.ofDays(1).toNanos();
            schedule.outcome(slept && schedule.elapsed().toHours() >= 24 ? "slept" : "woke early");
        }
    }

    static class Interrupts implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) throws InterruptedException {
            ReentrantLock held = new ReentrantLock();
            held.lock();
            ReentrantLock free = new ReentrantLock();
            Condition never = free.newCondition();
            Thread main = Thread.currentThread();
            expect(schedule, "sleep", () -> Thread.sleep(Duration.ofDays(1_000_000)));
            expect(schedule, "queue", () -> new ArrayBlockingQueue<String>(1).take());
            expect(schedule, "latch", () -> new CountDownLatch(1).await());
            expect(schedule, "semaphore", () -> new Semaphore(0).acquire());
            expect(schedule, "lock", held::lockInterruptibly);
            expect(schedule, "join", main::join);
            expect(schedule, "future", () -> new CompletableFuture<String>().get());
            expect(schedule, "condition", () -> {
                free.lockInterruptibly();
                try {
                    while (!Thread.currentThread().isInterrupted()) {
                        never.await();
                    }
                    throw new InterruptedException();
                } finally {
                    free.unlock();
                }
            });
        }

        private static void expect(Schedule schedule, String wait, Schedule.Body body) throws InterruptedException {
            Thread thread = schedule.thread(wait, () -> {
                try {
                    body.run();
                } catch (InterruptedException e) {
                    schedule.outcome(wait);
                }
            });
            thread.interrupt();
            thread.join();
            assertThat(thread.isAlive()).isFalse();
        }
    }

    static class StartsOwnThreads implements InterleavingScenario {

        private final AtomicInteger done = new AtomicInteger();

        @Override
        public void run(Schedule schedule) throws InterruptedException {
            ThreadFactory factory = Thread.ofVirtual().name("worker-", 0).factory();
            Thread first = factory.newThread(done::incrementAndGet);
            Thread second = factory.newThread(done::incrementAndGet);
            Thread third = Thread.ofPlatform().daemon().start(done::incrementAndGet);
            first.start();
            second.start();
            first.join();
            while (!second.join(Duration.ofDays(1))) {
                // With some seeds the clock leaps to the deadline of the join. The thread may then end before the next
                // check.
                assertThat(schedule.elapsed()).isGreaterThanOrEqualTo(Duration.ofDays(1));
            }
            third.join();
            schedule.join();
            schedule.outcome(first.getName() + " " + second.getName() + " " + done);
        }
    }

    static class Dice implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) {
            schedule.outcome(ThreadLocalRandom.current().nextInt(1_000_000) + " "
                    + schedule.random().nextLong());
        }
    }

    static class TimedWaits implements InterleavingScenario {

        @Override
        public void run(Schedule schedule) throws InterruptedException {
            BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
            Semaphore semaphore = new Semaphore(0);
            CountDownLatch latch = new CountDownLatch(1);
            schedule.thread("giver", () -> {
                Thread.sleep(Duration.ofNanos(schedule.random().nextInt(4_000_000)));
                queue.put("something");
                Thread.sleep(Duration.ofNanos(schedule.random().nextInt(1_000_000)));
                semaphore.release();
                latch.countDown();
            });
            boolean queued = queue.poll(1, TimeUnit.MILLISECONDS) != null;
            boolean permitted = semaphore.tryAcquire(1, TimeUnit.MILLISECONDS);
            boolean counted = latch.await(1, TimeUnit.MILLISECONDS);
            schedule.outcome(
                    queued && permitted && counted
                            ? "got all"
                            : queued || permitted || counted ? "got some" : "got none");
        }
    }
}
