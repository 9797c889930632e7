// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Server;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SubmissionQueueTest {

    private static final int ADDING_THREADS = 8;
    private static final int SUBMISSIONS = Integer.getInteger("millrace.submissions", 200_000);

    private final SubmissionQueue queue = new SubmissionQueue();

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void submissionsOfEachThreadArePolledCompletelyAndInOrder() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        int each = SUBMISSIONS / ADDING_THREADS;
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < ADDING_THREADS; number++) {
            int thread = number;
            threads.add(Thread.ofPlatform().start(() -> add(thread, each, new Random(seed + thread))));
        }
        // Like the timekeeper of a client, this thread iterates over the queue while other threads add and poll
        // submissions.
        threads.add(Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                queue.forEach(
                        submission -> assertThat(submission.submittedNanos).isLessThan(ADDING_THREADS));
            }
        }));

        long[] next = new long[ADDING_THREADS];
        List<String> wrong = new ArrayList<>();
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
        for (int taken = 0; taken < each * ADDING_THREADS && System.nanoTime() - giveUp < 0; ) {
            Submission submission = queue.poll();
            if (submission != null) {
                taken++;
                int thread = (int) submission.submittedNanos;
                if (submission.deadlineNanos != next[thread]++) {
                    wrong.add("thread " + thread + ": " + submission.deadlineNanos + " out of order");
                }
            }
        }
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(wrong).isEmpty();
        assertThat(next).containsOnly(each);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll()).isNull();
    }

    private void add(int thread, int count, Random random) {
        for (int i = 0; i < count; i++) {
            queue.add(submission(thread, i));
            // Sometimes the thread pauses, so that the queue becomes empty. The head and the tail of an empty queue
            // meet.
            if (random.nextInt(64) == 0) {
                LockSupport.parkNanos(random.nextInt(50_000));
            }
        }
    }

    @Test
    void polledSubmissionHoldsNoReferenceToLaterSubmissions() {
        queue.add(submission(0, 0));
        Submission taken = queue.poll();
        WeakReference<Submission> later = addAndTake();
        queue.add(submission(0, 2));
        assertThat(queue.poll()).isNotNull();

        for (long giveUp = System.nanoTime() + 60_000_000_000L;
                later.get() != null && System.nanoTime() - giveUp < 0; ) {
            System.gc();
            LockSupport.parkNanos(1_000_000);
        }

        assertThat(taken).isNotNull();
        assertThat(later.get()).isNull();
    }

    private WeakReference<Submission> addAndTake() {
        Submission later = submission(0, 1);
        queue.add(later);
        assertThat(queue.poll()).isSameAs(later);
        return new WeakReference<>(later);
    }

    private static Submission submission(long thread, long sequence) {
        return new PendingCall<>(Server.ping(), thread, sequence, null);
    }
}
