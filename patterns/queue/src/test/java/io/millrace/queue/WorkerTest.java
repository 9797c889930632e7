// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.draining;
import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers: failures, fairness, names, timeouts. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WorkerTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private RedisClient client;
    private JobQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = TestJobs.queue(client);
    }

    @Test
    void failedJobIsRepeatedWithTheSameIdAndTheWorkerCarriesOn() throws Exception {
        queue.pushAll(payloads(100));
        Map<String, List<Integer>> attempts = new ConcurrentHashMap<>();

        WorkerStats stats = drain(queue.worker(4, job -> {
            attempts.computeIfAbsent(job.id(), id -> Collections.synchronizedList(new ArrayList<>()))
                    .add(job.attempt());
            if (job.payload().endsWith("3") && job.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
            if (job.payload().endsWith("4") && !job.isRepeated()) {
                throw new AssertionError("an error is a failure too");
            }
        }));

        assertThat(attempts).hasSize(100);
        assertThat(attempts.values())
                .filteredOn(list -> list.size() == 3)
                .hasSize(10)
                .containsOnly(List.of(1, 2, 3));
        assertThat(stats.succeeded()).isEqualTo(100);
        assertThat(stats.failed()).isEqualTo(30);
        assertThat(stats.repeated()).isEqualTo(30);
        assertThat(queue.status().failed()).isEqualTo(30);
    }

    @Test
    void failedJobWaitsForItsBackoff() throws Exception {
        queue.push("a");
        List<Long> times = Collections.synchronizedList(new ArrayList<>());

        WorkerBuilder<String> builder = draining(queue.worker(1, job -> {
            times.add(System.nanoTime());
            if (!job.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        }));
        try (Worker worker =
                builder.backoff(RetryBackoff.fixed(Duration.ofMillis(1_200))).start()) {
            worker.await();
        }

        assertThat(times).hasSize(2);
        assertThat(times.get(1) - times.get(0)).isGreaterThan(1_100_000_000L);
    }

    @Test
    void handlerOfDeadJobsReceivesTheJobAndTheLastFailure() throws Exception {
        queue.pushAll(payloads(5));
        Map<String, Throwable> dead = new ConcurrentHashMap<>();

        WorkerStats stats = drain(queue.worker(2, job -> {
                    if (job.payload().equals("t2")) {
                        throw new IllegalStateException("poison " + job.attempt());
                    }
                })
                .maxAttempts(3)
                .onDead((job, cause) -> {
                    dead.put(job.payload(), cause);
                    throw new IllegalStateException("is logged");
                }));

        assertThat(dead).containsOnlyKeys("t2");
        assertThat(dead.get("t2")).hasMessage("poison 3");
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(stats.failed()).isEqualTo(2);
        assertThat(queue.dead(10)).singleElement().satisfies(job -> {
            assertThat(job.attempts()).isEqualTo(3);
            assertThat(job.reason()).isEqualTo("failed: java.lang.IllegalStateException: poison 3");
        });
    }

    /** While the first jobs are short, the worker may take jobs ahead. */
    @ParameterizedTest
    @EnumSource
    void jobsBehindLongJobsGoToAnotherWorker(QueueKind queueKind) throws Exception {
        List<String> jobs = new ArrayList<>(payloads(3_000));
        jobs.addAll(Collections.nCopies(4, "long"));
        jobs.addAll(payloads(1_000));
        List<String> unused = queueKind.push(client, "feeds", jobs);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger longJobs = new AtomicInteger();
        WorkerBuilder<String> builder = queueKind.worker(client, "feeds", 4, job -> {
            if (job.payload().equals("long")) {
                longJobs.incrementAndGet();
                mayEnd.await();
            }
        });

        try (Worker first = builder.lease(LEASE).stopOnShutdown(false).start()) {
            Eventually.holds("the first worker does the long jobs", () -> longJobs.get() == 4);
            try (Worker second = queueKind
                    .worker(client, "feeds", 4, job -> {})
                    .lease(LEASE)
                    .stopOnShutdown(false)
                    .start()) {
                Eventually.holds("all other jobs are done", () -> succeeded(first) + succeeded(second) == 4_000);
                assertThat(first.stats().pending()).isEqualTo(4);
            } finally {
                mayEnd.countDown();
            }
            Eventually.holds("the long jobs are done", () -> first.stats().pending() == 0);
            System.out.println("WorkerTest: kind=" + queueKind + ", givenBack="
                    + first.stats().returned());
        }
    }

    private static long succeeded(Worker worker) {
        return worker.stats().succeeded();
    }

    @Test
    void executorOfTheUserReceivesEachJobAsATask() throws Exception {
        queue.pushAll(payloads(500));
        AtomicInteger tasks = new AtomicInteger();

        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            WorkerStats stats = drain(queue.worker(4, job -> {}).executor(task -> {
                tasks.incrementAndGet();
                executor.execute(task);
            }));

            assertThat(stats.succeeded()).isEqualTo(500);
            assertThat(tasks).hasValue(500);
        }
    }

    @Test
    void twoWorkersHoldOnlyTheJobsThatTheyRun() throws Exception {
        queue.pushAll(payloads(400));
        CountDownLatch mayEnd = new CountDownLatch(1);
        WorkerBuilder<String> one = draining(queue.worker(10, job -> mayEnd.await()));
        WorkerBuilder<String> other = draining(queue.worker(10, job -> mayEnd.await()));

        try (Worker first = one.start();
                Worker second = other.start()) {
            Eventually.holds("the first worker is busy", () -> first.stats().pending() == 10);
            Eventually.holds("the second worker is busy", () -> second.stats().pending() == 10);
            assertThat(queue.size()).isEqualTo(380);
            mayEnd.countDown();
            first.await();
            second.await();

            assertThat(first.stats().succeeded() + second.stats().succeeded()).isEqualTo(400);
        }
    }

    @Test
    void workerTakesOnlyJobsThatItCanBegin() {
        queue.pushAll(payloads(50));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker =
                queue.worker(7, job -> mayEnd.await()).stopOnShutdown(false).start()) {
            Eventually.holds("all places are occupied", () -> worker.stats().pending() == 7);

            assertThat(queue.size()).isEqualTo(43);
            assertThat(queue.status().running()).isEqualTo(7);
            mayEnd.countDown();
            Eventually.holds("all jobs are done", () -> worker.stats().succeeded() == 50);
        }
    }

    @Test
    void secondWorkerOfALiveNameIsRefusedAfterTheRemainingLease() {
        try (Worker first = named("mill-1").start()) {

            assertThatThrownBy(() -> named("mill-1").start())
                    .isInstanceOf(QueueException.class)
                    .hasMessageMatching("the worker was not started: another live worker has its name after a wait of "
                            + "\\d+ ms: queue=feeds, worker=mill-1, remainingLease=\\d+ ms\\. "
                            + "Use another name, or no name for a unique name\\.");

            assertThat(first.name()).isEqualTo("mill-1");
            try (Worker other = named("mill-2").start()) {
                assertThat(other.name()).isEqualTo("mill-2");
            }
        }
        named("mill-1").start().close();
    }

    private WorkerBuilder<String> named(String name) {
        return queue.worker(1, job -> {}).name(name).lease(LEASE).stopOnShutdown(false);
    }

    @Test
    void workerWithTheNameOfACrashedWorkerStartsWhenItsLeaseHasEnded() throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        queue.push("a");
        CountDownLatch began = new CountDownLatch(1);
        Worker crashed = TestJobs.queue(line.client())
                .worker(1, job -> {
                    began.countDown();
                    Thread.currentThread().join();
                })
                .name("mill-1")
                .lease(LEASE)
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start();
        began.await();
        line.disconnect();
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats =
                drain(queue.worker(1, job -> attempts.add(job.attempt())).name("mill-1"));

        assertThat(attempts).containsExactly(2);
        assertThat(stats.succeeded()).isEqualTo(1);
        crashed.close();
    }

    @Test
    void attemptThatTakesTooLongIsInterruptedAndCountsAsAFailure() throws Exception {
        queue.pushAll(payloads(3));

        WorkerStats stats = drain(queue.worker(3, job -> {
                    if (job.payload().equals("t1") && !job.isRepeated()) {
                        Thread.currentThread().join();
                    }
                })
                .timeout(Duration.ofMillis(100)));

        assertThat(stats.succeeded()).isEqualTo(3);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.timedOut()).isEqualTo(1);
        assertThat(stats.abandoned()).isZero();
    }

    @Test
    void timeoutIsTheReasonOfADeadJob() throws Exception {
        queue.push("a");

        WorkerStats stats = drain(queue.worker(1, job -> Thread.currentThread().join())
                .timeout(Duration.ofMillis(100))
                .maxAttempts(1));

        assertThat(stats.dead()).isEqualTo(1);
        assertThat(queue.dead(1).getFirst().reason())
                .startsWith("failed: io.millrace.queue.QueueException: the attempt was interrupted after 100 ms: "
                        + "queue=feeds, job=");
    }

    @Test
    void workerWithSixteenAbandonedJobsTakesNoJobsUntilOneEnds() {
        queue.pushAll(payloads(17));
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger began = new AtomicInteger();
        try (Worker worker = queue.worker(4, job -> {
                    began.incrementAndGet();
                    awaitUninterruptibly(mayEnd);
                })
                .timeout(Duration.ofMillis(50))
                .interruptGrace(Duration.ofMillis(50))
                .maxAttempts(1)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("sixteen jobs are abandoned", () -> worker.stats().abandoned() >= 16);
            int beganBefore = began.get();

            assertThat(worker.stats().state()).isEqualTo(WorkerState.BLOCKED);
            assertThat(worker.stats().abandoned()).isLessThan(20);
            assertThat(beganBefore).isLessThan(20);
            mayEnd.countDown();
            Eventually.holds("no abandoned job runs", () -> worker.stats().abandoned() == 0);
            Eventually.holds("the worker takes jobs", () -> worker.stats().state() == WorkerState.RUNNING);
            Eventually.holds("each job has begun", () -> began.get() == 17);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // this job ignores its interrupt
            }
        }
    }

    @Test
    void jobsRunInTheExecutorOfTheUserWithoutAnInterruptFlagLeft() throws Exception {
        queue.pushAll(payloads(20));
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        List<Boolean> flags = Collections.synchronizedList(new ArrayList<>());
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {

            WorkerStats stats = drain(queue.worker(2, job -> {
                        flags.add(Thread.currentThread().isInterrupted());
                        threads.add(Thread.currentThread());
                        if (job.payload().equals("t3") && !job.isRepeated()) {
                            LockSupport.parkNanos(Duration.ofSeconds(60).toNanos()); // returns, keeps the flag
                        }
                    })
                    .timeout(Duration.ofMillis(300))
                    .executor(executor));

            assertThat(stats.succeeded()).isEqualTo(20);
            assertThat(stats.timedOut()).isEqualTo(1);
            assertThat(new HashSet<>(threads)).hasSizeLessThanOrEqualTo(2);
            assertThat(flags).containsOnly(false);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allJobsAreDoneAlthoughTheServerForgetsItsScripts(QueueKind queueKind) throws Exception {
        List<String> unused = queueKind.push(client, "feeds", payloads(300));

        WorkerStats stats = drain(queueKind.worker(client, "feeds", 10, job -> {
            if (job.payload().endsWith("0")) {
                client.call(Command.of("SCRIPT FLUSH"));
            }
            if (job.payload().endsWith("7") && !job.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        }));

        assertThat(stats.succeeded()).isEqualTo(300);
        assertThat(stats.failed()).isEqualTo(30);
    }

    @Test
    void workerContinuesAfterTheServerHasLostItsData() throws Exception {
        queue.push("lost");
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = queue.worker(2, job -> {
                    began.countDown();
                    mayEnd.await();
                })
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            began.await();

            client.call(Server.flush());
            mayEnd.countDown();
            Eventually.holds("the end of the job is known", () -> worker.stats().noLongerHeld() == 1);
            queue.push("new");

            Eventually.holds("the new job is done", () -> worker.stats().succeeded() == 1);
            Eventually.holds(
                    "the worker is registered again",
                    () -> queue.status().workers().size() == 1);
        }
        assertThat(queue.status().workers()).isEmpty();
    }

    @Test
    void workerWhoseClientIsClosedFirstCanStillBeClosed() {
        RedisClient own = REDIS.breakableClient().client();
        Worker worker =
                TestJobs.queue(own).worker(1, job -> {}).stopOnShutdown(false).start();

        own.close();
        worker.close();

        assertThat(worker.stats().state()).isEqualTo(WorkerState.ENDED);
    }
}
