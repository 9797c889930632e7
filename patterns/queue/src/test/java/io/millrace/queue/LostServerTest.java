// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.draining;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that lose the server, the connection or replies. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostServerTest {

    private static final String KEY = "feeds";
    private static final String NAME = "mill-1";

    /** A lease that does not end in this test. */
    private static final Duration LONG = Duration.ofSeconds(60);

    /** If maintenance is in flight when the proxy stalls, the worker sends acknowledgements after this command timeout. */
    private static final Duration STALL_LIMIT = Duration.ofSeconds(3);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void brokenConnectionsLoseNoJobAndRepeatNone(QueueKind queueKind) throws Exception {
        long seed = System.nanoTime();
        System.out.println("LostServerTest: kind=" + queueKind + ", seed=" + seed);
        Random random = new Random(seed);
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(LONG);
        List<String> unused = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(2_000));
        Map<String, Integer> effects = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        try (Worker worker = queueKind
                .worker(line.client(), KEY, 4, job -> {
                    effects.merge(job.payload(), 1, Integer::sum);
                    done.incrementAndGet();
                    LockSupport.parkNanos(200_000);
                })
                .lease(Duration.ofSeconds(5))
                .stopOnShutdown(false)
                .start()) {

            for (int next = 100; next < 2_000; next += 1 + random.nextInt(300)) {
                int reached = next;
                Eventually.holds("the next number of jobs is done", () -> done.get() >= reached);
                line.proxy().disconnectAll(ConnectionEnd.RESET);
            }
            Eventually.holds("all jobs are done", () -> effects.size() == 2_000);
            Eventually.holds("all jobs are acknowledged", () -> worker.stats().pending() == 0);

            assertThat(worker.stats().unacknowledged()).isZero();
            assertThat(worker.stats().noLongerHeld()).isZero();
            assertThat(worker.stats().repeated()).isZero();
            assertThat(done).hasValue(2_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobsDoneWhileTheServerIsUnreachableAreAcknowledgedLater(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        List<String> unused = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        try (Worker worker = draining(queueKind.worker(line.client(), KEY, 10, job -> {
                    mayEnd.await();
                    done.incrementAndGet();
                }))
                .lease(LONG)
                .start()) {
            Eventually.holds("all jobs run", () -> worker.stats().pending() == 10);

            line.disconnect();
            mayEnd.countDown();
            Eventually.holds("all jobs are done", () -> done.get() == 10);
            Eventually.holds("the worker knows the outage", () -> worker.stats().state() == WorkerState.DISCONNECTED);
            line.reconnect();
            worker.await();

            assertThat(worker.stats().succeeded()).isEqualTo(10);
            assertThat(worker.stats().repeated()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void workerCarriesOnAfterALongOutage(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofMillis(200));
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (Worker worker = queueKind
                .worker(line.client(), KEY, 2, job -> done.add(job.payload()))
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            line.disconnect();
            long cutAt = System.nanoTime();
            Eventually.holds("three leases have passed", () -> System.nanoTime() - cutAt > 3 * LEASE.toNanos());
            List<String> unused = queueKind.push(REDIS.client(), KEY, List.of("a"));

            line.reconnect();

            Eventually.holds("the job is done", () -> done.contains("a"));
            Eventually.holds("the worker is connected", () -> worker.stats().state() == WorkerState.RUNNING);
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobsThatCannotBeAcknowledgedAreCountedAndDoneAgain(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        List<String> unused = queueKind.push(client, KEY, TestJobs.payloads(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        Worker worker = queueKind
                .worker(line.client(), KEY, 10, job -> {
                    mayEnd.await();
                    done.incrementAndGet();
                })
                .lease(LEASE)
                .stopOnShutdown(false)
                .start();
        Eventually.holds("all jobs run", () -> worker.stats().pending() == 10);
        line.disconnect();
        mayEnd.countDown();
        Eventually.holds("all jobs are done", () -> done.get() == 10);

        worker.close();

        assertThat(worker.stats().unacknowledged()).isEqualTo(10);
        assertThat(worker.stats().pending()).isZero();
        WorkerStats after = drain(queueKind.worker(client, KEY, 10, job -> {}));
        assertThat(after.succeeded()).isEqualTo(10);
        assertThat(after.repeated()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource
    void acknowledgementWithALostReplyIsCountedAsAcknowledged(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(STALL_LIMIT);
        RedisClient client = REDIS.client();
        List<String> unused = queueKind.push(client, KEY, TestJobs.payloads(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = draining(queueKind.worker(line.client(), KEY, 10, job -> mayEnd.await()))
                .name(NAME)
                .lease(LONG)
                .start()) {
            Eventually.holds("all jobs run", () -> worker.stats().pending() == 10);

            loseReplies(line, queueKind, client, mayEnd);
            worker.await();

            assertThat(worker.stats().succeeded()).isEqualTo(10);
            assertThat(worker.stats().noLongerHeld()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void deadJobWithALostReplyIsCountedAsDead(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(STALL_LIMIT);
        RedisClient client = REDIS.client();
        List<String> unused = queueKind.push(client, KEY, TestJobs.payloads(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = draining(queueKind.worker(line.client(), KEY, 10, job -> {
                    mayEnd.await();
                    throw new IllegalStateException("poison");
                }))
                .name(NAME)
                .maxAttempts(1)
                .lease(LONG)
                .start()) {
            Eventually.holds("all jobs run", () -> worker.stats().pending() == 10);

            loseReplies(line, queueKind, client, mayEnd);
            worker.await();

            assertThat(worker.stats().dead()).isEqualTo(10);
            assertThat(queueKind.dead(client, KEY)).hasSize(10);
        }
    }

    private static void loseReplies(
            RedisServerExtension.BreakableConnection line,
            QueueKind queueKind,
            RedisClient client,
            CountDownLatch mayEnd) {
        line.proxy().stall(Direction.TO_CLIENT);
        mayEnd.countDown();
        Eventually.holds(
                "the server has settled some jobs", // other acknowledgements may wait for the next round
                () -> queueKind.heldBy(NAME, client, KEY).size() < 10);
        line.proxy().disconnectAll(ConnectionEnd.RESET);
        line.proxy().resume(Direction.TO_CLIENT);
    }

    @ParameterizedTest
    @EnumSource
    void workerThatReturnsFirstAfterALongOutageDoesNotTakeTheJobsOfTheOther(QueueKind queueKind) throws Exception {
        Duration lease = Duration.ofSeconds(6);
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisServerExtension.BreakableConnection other = REDIS.breakableClient();
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<String> ofLast = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(5));
        try (Worker last = draining(queueKind.worker(other.client(), KEY, 5, job -> mayEnd.await()))
                .lease(lease)
                .start()) {
            Eventually.holds("its places are occupied", () -> last.stats().pending() == 5);
            List<String> ofFirst = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(5));
            try (Worker first = draining(queueKind.worker(line.client(), KEY, 10, job -> mayEnd.await()))
                    .lease(lease)
                    .start()) {
                Eventually.holds("all jobs run", () -> first.stats().pending() == 5);
                line.disconnect();
                other.disconnect();
                awaitNanos("the leases have ended", lease.toNanos() * 11 / 10);

                line.reconnect();
                Eventually.holds(
                        "the first worker is connected", () -> first.stats().state() == WorkerState.RUNNING);
                awaitNanos("the first worker has looked for silent workers", 2_000_000_000);
                other.reconnect();
                Eventually.holds(
                        "the last worker is connected", () -> last.stats().state() == WorkerState.RUNNING);
                mayEnd.countDown();
                first.await();
                last.await();

                assertThat(last.stats().succeeded()).isEqualTo(ofLast.size());
                assertThat(first.stats().succeeded()).isEqualTo(ofFirst.size());
                assertThat(first.stats().repeated() + last.stats().repeated()).isZero();
                assertThat(first.stats().noLongerHeld() + last.stats().noLongerHeld())
                        .isZero();
            }
        }
    }

    private static void awaitNanos(String condition, long nanos) {
        long start = System.nanoTime();
        Eventually.holds(condition, () -> System.nanoTime() - start > nanos);
    }

    @ParameterizedTest
    @EnumSource
    void serverThatIsSilentForHalfOfTheLeaseDoesNotEndTheLease(QueueKind queueKind) throws Exception {
        Duration lease = Duration.ofSeconds(8);
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofSeconds(3));
        List<String> unused = queueKind.push(REDIS.client(), KEY, List.of("a"));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = draining(queueKind.worker(line.client(), KEY, 1, job -> mayEnd.await()))
                        .lease(lease)
                        .start();
                Worker other = draining(queueKind.worker(REDIS.client(), KEY, 1, job -> {}))
                        .lease(lease)
                        .start()) {
            Eventually.holds("the job runs", () -> worker.stats().pending() == 1);
            line.proxy().stall(Direction.TO_SERVER);
            long stalledAt = System.nanoTime();
            long half = lease.toNanos() / 2;
            Eventually.holds("half a lease has passed", () -> System.nanoTime() - stalledAt > half);
            line.proxy().resume(Direction.TO_SERVER);
            Eventually.holds("two leases have passed", () -> System.nanoTime() - stalledAt > 4 * half);
            mayEnd.countDown();
            worker.await();
            other.await();

            assertThat(worker.stats().succeeded()).isEqualTo(1);
            assertThat(other.stats().taken()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobsOfALostFetchDoNotCountAnAttempt(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(LONG);
        RedisClient client = REDIS.client();
        AtomicInteger done = new AtomicInteger();
        try (Worker worker = queueKind
                .worker(line.client(), KEY, 5, job -> done.incrementAndGet())
                .name(NAME)
                .maxDeaths(1)
                .lease(LONG)
                .stopOnShutdown(false)
                .start()) {
            boolean lost = false;
            for (int job = 1; !lost; job++) { // the wait of the worker may end just before the push
                int number = job;
                Eventually.holds("the worker waits", () -> isBlocked(client));
                line.proxy().stall(Direction.TO_CLIENT);
                List<String> unused = queueKind.push(client, KEY, List.of("t" + job));
                Eventually.holds("the wait has ended", () -> !isBlocked(client));
                lost = queueKind.heldBy(NAME, client, KEY).size() == 1;
                line.proxy().disconnectAll(ConnectionEnd.RESET);
                line.proxy().resume(Direction.TO_CLIENT);
                Eventually.holds("the job is done", () -> worker.stats().succeeded() == number);
            }

            assertThat(worker.stats().repeated()).isZero();
            assertThat(queueKind.dead(client, KEY)).isEmpty();
        }
    }

    private static boolean isBlocked(RedisClient client) {
        return client.call(Command.of("INFO", "clients").as(Replies::text)).contains("blocked_clients:1");
    }

    @ParameterizedTest
    @EnumSource
    void workerDisconnectedForLongerThanTheLeaseKeepsItsOwnJobs(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        List<String> unused = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(5));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = draining(queueKind.worker(line.client(), KEY, 10, job -> mayEnd.await()))
                .maxDeaths(1)
                .start()) {
            Eventually.holds("all jobs run", () -> worker.stats().pending() == 5);
            line.disconnect();
            long cutAt = System.nanoTime();
            Eventually.holds("two leases have passed", () -> System.nanoTime() - cutAt > 2 * LEASE.toNanos());

            line.reconnect();
            long mendedAt = System.nanoTime();
            Eventually.holds("the worker has polled", () -> System.nanoTime() - mendedAt > LEASE.toNanos());
            mayEnd.countDown();
            worker.await();

            assertThat(worker.stats().succeeded()).isEqualTo(5);
            assertThat(worker.stats().taken()).isEqualTo(5);
            assertThat(worker.stats().dead()).isZero();
        }
    }
}
