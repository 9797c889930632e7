// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers whose threads, log or jobs fail in a way that must not end the worker. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FailingThreadsTest {

    private static final Logger LOGGER = Logger.getLogger("io.millrace.queue");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private RedisClient client;

    @BeforeEach
    void connect() {
        client = REDIS.client();
    }

    @Test
    void failedCheckOfTheRunTimesIsRepeatedAndLoggedOnce() {
        AtomicInteger checks = new AtomicInteger();
        JobTimer timer = new JobTimer("feeds", Duration.ofMillis(50), () -> {
            if (checks.incrementAndGet() <= 3) {
                throw new OutOfMemoryError("not really");
            }
        });
        timer.start();
        Eventually.holds("checks continue", () -> checks.get() > 3);
        timer.stop();

        assertThat(log.lines())
                .containsExactly(
                        "SEVERE the run times of jobs could not be checked, and are checked again: queue=feeds. "
                                + "Report this failure, and restart the process if the memory was full.");
    }

    @Test
    void errorInARenewalDoesNotEndTheRenewals() {
        Duration lease = Duration.ofMillis(300);
        JobBackend<String> backend = new JobBackend<>(
                client, new JobKeys("feeds"), Codec.text(), WorkerOptions.DEFAULT.withLease(lease), 100);
        AtomicInteger renewals = new AtomicInteger();
        LeaseKeeper keeper = new LeaseKeeper(
                backend,
                () -> {
                    if (renewals.incrementAndGet() == 1) {
                        throw new StackOverflowError();
                    }
                    return List.of();
                },
                new OutageLog("feeds", "mill-1"),
                lease);
        assertThat(backend.register()).isEmpty();
        keeper.start();
        Eventually.holds("renewals continue", () -> renewals.get() >= 3);
        keeper.stop();

        assertThat(log.lines())
                .contains("WARNING a worker cannot use its queue and tries again: queue=feeds, worker=mill-1, "
                        + "failure=java.lang.StackOverflowError");
    }

    @ParameterizedTest
    @EnumSource
    void errorsInTheDispatcherAndTheAcknowledgerEndNoWorkerAndLoseNoJob(QueueKind queueKind) {
        List<String> unused = queueKind.push(client, "feeds", TestJobs.payloads(20));
        Set<String> failing = ConcurrentHashMap.newKeySet();
        failing.addAll(List.of("fetch", "acknowledgement", "settled", "maintain"));
        Queue<String> begun = new ConcurrentLinkedQueue<>();
        WorkerBuilder<String> builder = new WorkerBuilder<>(
                client,
                options -> withErrors(queueKind.backend(client, "feeds", options), failing),
                2,
                job -> begun.add(job.payload()));
        try (Worker worker = builder.lease(TestJobs.LEASE).stopOnShutdown(false).start()) {
            Eventually.holds("all jobs are done", () -> worker.stats().succeeded() == 20);
            Eventually.holds("each method has failed once", failing::isEmpty);
            Eventually.holds("the worker runs", () -> worker.stats().state() == WorkerState.RUNNING);
        }

        assertThat(begun).containsExactlyInAnyOrderElementsOf(TestJobs.payloads(20));
        assertThat(log.lines())
                .anyMatch(line -> line.startsWith("WARNING a worker cannot use its queue and tries again: queue=feeds,")
                        && line.contains("failure=java.lang.OutOfMemoryError"))
                .noneMatch(line -> line.contains("SEVERE"));
    }

    /** Calls {@code backend}. The first call of each method in {@code failing} ends with an error after its work. */
    private static QueueBackend<String> withErrors(QueueBackend<String> backend, Set<String> failing) {
        Class<?>[] type = {QueueBackend.class};
        @SuppressWarnings("unchecked") // the proxy passes the calls to a backend of this type
        QueueBackend<String> proxy = (QueueBackend<String>) Proxy.newProxyInstance(
                type[0].getClassLoader(), type, (self, method, arguments) -> {
                    Object result = method.invoke(backend, arguments);
                    boolean hasWorked = !(result instanceof FetchResult<?> fetched && fetched.isEmpty());
                    if (hasWorked && failing.remove(method.getName())) {
                        throw new OutOfMemoryError("not really, in " + method.getName());
                    }
                    return result;
                });
        return proxy;
    }

    @Test
    void logThatFailsLeavesNoJobWithoutAnEnd() throws Exception {
        Handler failing = new FailingHandler();
        LOGGER.addHandler(failing);
        try {
            JobQueue<String> queue = TestJobs.queue(client);
            queue.pushAll(TestJobs.payloads(3));

            try (Worker worker = TestJobs.draining(queue.worker(1, job -> {
                                throw new IllegalStateException("poison");
                            })
                            .maxAttempts(1)
                            .shutdownGrace(Duration.ZERO)
                            .onDead((job, cause) -> {
                                throw new IllegalStateException("mail server");
                            }))
                    .start()) {
                Eventually.holds("all jobs are dead", () -> worker.stats().dead() == 3);
                worker.await();
            }
        } finally {
            LOGGER.removeHandler(failing);
        }

        assertThat(log.lines())
                .anyMatch(
                        line -> line.endsWith("The log rejected the exception " + "java.lang.IllegalStateException."));
    }

    /** Rejects exceptions, as a bridge to another log does whose layout fails. */
    private static final class FailingHandler extends Handler {

        @Override
        public void publish(LogRecord logged) {
            if (logged.getThrown() != null) {
                throw new IllegalStateException("the layout failed");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @EnumSource
    void oneJobThatAlwaysIgnoresItsInterruptIsDeadAfterThreeAttempts(QueueKind queueKind) {
        List<String> unused = queueKind.push(client, "feeds", List.of("hangs"));
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger began = new AtomicInteger();
        try (Worker worker = queueKind
                .worker(client, "feeds", 2, job -> {
                    if (job.payload().equals("hangs")) {
                        began.incrementAndGet();
                        awaitUninterruptibly(mayEnd);
                    }
                })
                .timeout(Duration.ofMillis(50))
                .interruptGrace(Duration.ofMillis(50))
                .backoff(TestJobs.AT_ONCE)
                .lease(TestJobs.LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds(
                    "the job is dead", () -> queueKind.dead(client, "feeds").equals(List.of("hangs")));
            List<String> next = queueKind.push(client, "feeds", List.of("next"));
            Eventually.holds("another job is done", () -> worker.stats().succeeded() == 1);

            assertThat(next).hasSize(1);
            assertThat(began).hasValue(3);
            assertThat(worker.stats().abandoned()).isEqualTo(3);
            assertThat(worker.stats().timedOut()).isEqualTo(3);
            mayEnd.countDown();
            Eventually.holds("no abandoned job runs", () -> worker.stats().abandoned() == 0);
        }
        assertThat(log.lines())
                .anyMatch(line ->
                        line.startsWith("WARNING an attempt counts as a death and will be repeated: queue=feeds,")
                                && line.endsWith(
                                        ", deaths=1, maxDeaths=3, attempt=1, maxAttempts=20. The handler must end soon "
                                                + "after an interrupt, and must not end the process."));
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
}
