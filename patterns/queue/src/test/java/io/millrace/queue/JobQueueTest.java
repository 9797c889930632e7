// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.draining;
import static io.millrace.queue.TestJobs.payloads;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pushing jobs, and what an operator does with a queue. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class JobQueueTest {

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
    void everyJobIsDoneOnceInOrderAndOnlyTheCountersRemain() throws Exception {
        List<String> ids = queue.pushAll(payloads(3_000));
        List<String> done = new ArrayList<>();

        WorkerStats stats = drain(queue.worker(1, job -> done.add(job.payload())));

        assertThat(ids).hasSize(3_000).doesNotHaveDuplicates();
        assertThat(done).isEqualTo(payloads(3_000));
        assertThat(stats.succeeded()).isEqualTo(3_000);
        assertThat(stats.state()).isEqualTo(WorkerState.ENDED);
        assertThat(queue.status().succeeded()).isEqualTo(3_000);
        assertThat(client.call(Server.size())).isEqualTo(1);
        queue.delete();
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void jobIsInTheListWhenPushReturns() {
        String id = queue.push("a");

        assertThat(client.call(Lists.range("feeds", 0, -1)))
                .singleElement()
                .asString()
                .matches("mr1 " + id + " 0 0 \\d{13}\na");
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void payloadsOfOtherProgramsAreDone() throws Exception {
        client.call(Lists.pushLeft("feeds", "plain", "plain", ""));
        List<Job<String>> done = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(2, done::add));

        assertThat(done).extracting(Job::payload).containsExactlyInAnyOrder("plain", "plain", "");
        assertThat(done).extracting(Job::id).doesNotHaveDuplicates();
        assertThat(stats.succeeded()).isEqualTo(3);
    }

    @Test
    void payloadOfAnotherProgramIsRepeatedAfterAFailureWithItsId() throws Exception {
        client.call(Lists.pushLeft("feeds", "plain"));
        List<String> attempts = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(1, job -> {
            attempts.add(job.id() + " " + job.attempt() + " " + job.payload());
            if (!job.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        }));

        String id = attempts.getFirst().split(" ", -1)[0];
        assertThat(attempts).containsExactly(id + " 1 plain", id + " 2 plain");
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.succeeded()).isEqualTo(1);
    }

    @Test
    void arbitraryBytesAreDeliveredUnchangedAlsoAfterAFailure() throws Exception {
        JobQueue<byte[]> bytes = JobQueue.of(client, "bytes", Codec.bytes());
        byte[] all = new byte[512];
        IntStream.range(0, all.length).forEach(i -> all[i] = (byte) i);
        bytes.push(all);
        bytes.push(new byte[0]);
        List<byte[]> seen = Collections.synchronizedList(new ArrayList<>());

        WorkerStats unused = drain(bytes.worker(1, job -> {
            if (!job.isRepeated()) {
                throw new IllegalStateException("fails the first time");
            }
            seen.add(job.payload());
        }));

        assertThat(seen).containsExactlyInAnyOrder(all, new byte[0]);
    }

    @Test
    void delayedJobIsDoneWhenItIsDueAndNotBefore() throws Exception {
        long start = System.nanoTime();
        queue.push("later", JobOptions.after(Duration.ofMillis(1_500)));
        queue.push("at", JobOptions.at(Instant.now().plusMillis(1_000)));
        queue.push("now");
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        List<Long> millis = Collections.synchronizedList(new ArrayList<>());

        assertThat(queue.status().delayed()).isEqualTo(2);
        WorkerStats unused = drain(queue.worker(1, job -> {
            done.add(job.payload());
            millis.add((System.nanoTime() - start) / 1_000_000);
        }));

        assertThat(done).containsExactly("now", "at", "later");
        assertThat(millis.get(1)).isGreaterThan(900);
        assertThat(millis.get(2)).isGreaterThan(1_400);
    }

    @Test
    void dueJobsComeBeforeWaitingJobsInTheOrderOfTheirTimes() throws Exception {
        queue.push("waits");
        queue.push("second", JobOptions.at(Instant.EPOCH.plusMillis(2)));
        queue.push("first", JobOptions.at(Instant.EPOCH.plusMillis(1)));
        List<String> done = new ArrayList<>();
        queue.pause(); // a worker moves due jobs during a pause too
        try (Worker worker =
                draining(queue.worker(1, job -> done.add(job.payload()))).start()) {
            Eventually.holds("the due jobs wait", () -> queue.status().delayed() == 0);

            queue.resume();
            worker.await();
        }

        assertThat(done).containsExactly("first", "second", "waits");
    }

    @Test
    void failedPushThrowsTheErrorOfTheServer() {
        client.call(Strings.set("feeds", "not a list"));

        assertThatThrownBy(() -> queue.push("a"))
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> queue.pushAll(payloads(100))).hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(
                        () -> queue.worker(1, job -> {}).stopOnShutdown(false).start())
                .hasMessageContaining("WRONGTYPE");
    }

    @Test
    void exceptionOfTheCodecReachesTheProducer() {
        JobQueue<String> picky = JobQueue.of(
                client,
                "feeds",
                Codec.text(
                        text -> {
                            throw new IllegalArgumentException("no");
                        },
                        text -> text));

        assertThatThrownBy(() -> picky.push("a")).hasMessage("no");
        assertThat(queue.size()).isZero();
    }

    @Test
    void peekReturnsTheNextJobsWithoutRemovingThem() {
        queue.pushAll(payloads(10));

        List<Job<String>> next = queue.peek(3);

        assertThat(next).extracting(Job::payload).containsExactly("t0", "t1", "t2");
        assertThat(queue.size()).isEqualTo(10);
        assertThatThrownBy(() -> queue.peek(0)).hasMessage("limit=0 is out of range: 1 to 100,000.");
    }

    @Test
    void redrivenJobsBeginWithTheirFirstAttempt() throws Exception {
        queue.pushAll(payloads(3));
        String other = queue.push("other");
        WorkerStats unused = drain(queue.worker(1, job -> {
                    throw new IllegalStateException("poison\nin two lines");
                })
                .maxAttempts(2));

        List<DeadJob> dead = queue.dead(10);
        boolean one = queue.redrive(other);
        boolean again = queue.redrive(other);
        long two = queue.redrive(2L);
        long rest = queue.redrive(100L);
        List<Job<String>> done = new ArrayList<>();
        WorkerStats stats = drain(queue.worker(1, done::add));

        assertThat(dead).hasSize(4).allSatisfy(job -> {
            assertThat(job.attempts()).isEqualTo(2);
            assertThat(job.reason()).isEqualTo("failed: java.lang.IllegalStateException: poison in two lines");
            assertThat(job.diedAt())
                    .isBetween(Instant.now().minusSeconds(300), Instant.now().plusSeconds(300));
        });
        assertThat(one).isTrue();
        assertThat(again).isFalse();
        assertThat(two).isEqualTo(2);
        assertThat(rest).isEqualTo(1);
        assertThat(done).extracting(Job::payload).containsExactlyInAnyOrder("t0", "t1", "t2", "other");
        assertThat(done).extracting(Job::attempt).containsOnly(1);
        assertThat(stats.succeeded()).isEqualTo(4);
    }

    @Test
    void oneDeadJobAmongManyIsRedriven() throws Exception {
        List<String> ids = queue.pushAll(payloads(250));
        WorkerStats unused = drain(queue.worker(10, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        boolean oldest = queue.redrive(ids.getFirst());
        boolean newest = queue.redrive(ids.getLast());
        boolean unknown = queue.redrive("unknown");

        assertThat(oldest).isTrue();
        assertThat(newest).isTrue();
        assertThat(unknown).isFalse();
        assertThat(queue.peek(10)).extracting(Job::id).containsExactly(ids.getFirst(), ids.getLast());
        assertThat(queue.status().dead()).isEqualTo(248);
    }

    @Test
    void oldestDeadJobsAreDroppedAndCounted() throws Exception {
        JobQueue<String> limited = queue.maxDead(3);
        limited.pushAll(payloads(10));

        WorkerStats unused = drain(limited.worker(1, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        assertThat(limited.dead(10))
                .extracting(job -> new String(job.payload(), UTF_8))
                .containsExactly("t9", "t8", "t7");
        assertThat(limited.status().died()).isEqualTo(10);
        assertThat(limited.status().dropped()).isEqualTo(7);
        assertThat(limited.status().failed()).isEqualTo(10);
    }

    @Test
    void queueThatKeepsNoDeadJobsCountsEachAsDropped() throws Exception {
        JobQueue<String> limited = queue.maxDead(0);
        limited.pushAll(payloads(5));

        WorkerStats stats = drain(limited.worker(1, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        assertThat(stats.dead()).isEqualTo(5);
        assertThat(limited.dead(10)).isEmpty();
        assertThat(limited.status().died()).isEqualTo(5);
        assertThat(limited.status().dropped()).isEqualTo(5);
    }

    @Test
    void purgeRemovesOnePartOfTheQueue() {
        queue.pushAll(payloads(5));
        queue.push("later", JobOptions.after(Duration.ofHours(1)));

        assertThat(queue.purge(QueuePart.DEAD)).isZero();
        assertThat(queue.purge(QueuePart.DELAYED)).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(5);
        assertThat(queue.purge(QueuePart.WAITING)).isEqualTo(5);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void pausedQueueGivesNoJobsUntilItIsResumed() {
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        queue.pause();
        queue.push("a");
        try (Worker worker = queue.worker(1, job -> done.add(job.payload()))
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds(
                    "the worker has seen the pause", () -> worker.stats().state() == WorkerState.PAUSED);
            assertThat(queue.status().paused()).isTrue();
            assertThat(done).isEmpty();

            queue.resume();

            Eventually.holds("the job is done", () -> done.contains("a"));
            assertThat(worker.stats().state()).isEqualTo(WorkerState.RUNNING);
            queue.pause();
            Eventually.holds("the worker pauses again", () -> worker.stats().state() == WorkerState.PAUSED);
            queue.push("b");
        }
        assertThat(done).containsExactly("a");
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void statusCountsRunningJobsAndWorkers() throws Exception {
        queue.pushAll(payloads(5));
        queue.push("later", JobOptions.after(Duration.ofHours(1)));
        try (Worker worker = queue.worker(2, job -> Thread.currentThread().join())
                .name("mill-1")
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("two jobs run", () -> worker.stats().pending() == 2);

            QueueStatus status = queue.status();

            assertThat(status.waiting()).isEqualTo(3);
            assertThat(status.delayed()).isEqualTo(1);
            assertThat(status.running()).isEqualTo(2);
            assertThat(status.workers()).singleElement().satisfies(registered -> {
                assertThat(registered.name()).isEqualTo("mill-1");
                assertThat(registered.running()).isEqualTo(2);
                assertThat(registered.lease()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
            });
        }
        assertThat(queue.status().workers()).isEmpty();
        assertThat(queue.status().waiting()).isEqualTo(5);
    }

    @Test
    void keysOfTheQueueAreInOneHashSlot() throws Exception {
        queue.push("later", JobOptions.after(Duration.ofHours(1)));
        queue.recurring("nightly", Cron.of("@daily"), "x");
        queue.pause();
        queue.push("a");

        List<String> names = client.call(Command.of("KEYS", "*").as(Replies.list(Replies::text)));

        assertThat(names)
                .containsExactlyInAnyOrder(
                        "feeds", "{feeds}:delayed", "{feeds}:recurring", "{feeds}:recurring-due", "{feeds}:paused");
        assertThat(client.call(Keys.exist("feeds"))).isOne();
    }
}
