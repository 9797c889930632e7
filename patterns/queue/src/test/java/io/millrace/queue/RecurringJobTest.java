// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScoredMember;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Recurring jobs. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RecurringJobTest {

    private static final String DUE = "{feeds}:recurring-due";

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
    void definitionIsListedWithItsNextTime() {
        Cron cron = Cron.of("30 3 * * MON-FRI", ZoneId.of("Europe/Berlin"));

        queue.recurring("nightly", cron, "refresh");

        assertThat(queue.recurringJobs()).singleElement().satisfies(job -> {
            assertThat(job.name()).isEqualTo("nightly");
            assertThat(job.cron()).isEqualTo(cron);
            assertThat(job.next()).isAfter(Instant.now());
        });
        assertThat(queue.cancelRecurring("nightly")).isTrue();
        assertThat(queue.cancelRecurring("nightly")).isFalse();
        assertThat(queue.recurringJobs()).isEmpty();
    }

    @Test
    void equalDefinitionKeepsADueTimeInThePastAndADifferentOneReplacesIt() {
        queue.recurring("nightly", Cron.of("@daily"), "a");
        makeDue("nightly");

        queue.recurring("nightly", Cron.of("@daily"), "a");
        Instant kept = queue.recurringJobs().getFirst().next();
        queue.recurring("nightly", Cron.of("@daily"), "b");
        Instant replaced = queue.recurringJobs().getFirst().next();

        assertThat(kept).isBefore(Instant.now());
        assertThat(replaced).isAfter(Instant.now());
    }

    @Test
    void missedTimesCountOnceInAllWorkers() {
        queue.recurring("nightly", Cron.of("@yearly"), "refresh");
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        List<Worker> workers = IntStream.range(0, 5)
                .mapToObj(i -> queue.worker(2, job -> done.add(job.payload()))
                        .stopOnShutdown(false)
                        .start())
                .toList();

        for (int round = 1; round <= 3; round++) {
            int rounds = round;
            makeDue("nightly");
            Eventually.holds("the job is done again", () -> done.size() >= rounds);
            Eventually.holds(
                    "the job is not due any more",
                    () -> queue.recurringJobs().getFirst().next().isAfter(Instant.now()));
        }
        long start = System.nanoTime();
        Eventually.holds("two ticks have passed", () -> System.nanoTime() - start > 2_100_000_000L);
        workers.forEach(Worker::close);

        assertThat(done).containsExactly("refresh", "refresh", "refresh");
    }

    @Test
    void timesAreLeftOutWhileTheLastPushWaitsForAPlace() throws Exception {
        queue.push("long");
        queue.recurring("hourly", Cron.of("@yearly"), "refresh");
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = queue.worker(1, job -> {
                    began.countDown();
                    mayEnd.await();
                })
                .stopOnShutdown(false)
                .start()) {
            began.await();

            for (int round = 1; round <= 3; round++) {
                makeDue("hourly");
                awaitFired();
                queue.push("other" + round);
            }
            assertThat(queue.peek(10))
                    .extracting(Job::payload)
                    .containsExactly("refresh", "other1", "other2", "other3");
            mayEnd.countDown();
            Eventually.holds("all jobs are done", () -> worker.stats().succeeded() == 5);
            makeDue("hourly");
            Eventually.holds("the job is done again", () -> worker.stats().succeeded() == 6);
        }
    }

    @Test
    void timesAreNotLeftOutWhileTheLastPushRuns() throws Exception {
        queue.recurring("hourly", Cron.of("@yearly"), "refresh");
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = queue.worker(1, job -> {
                    began.countDown();
                    mayEnd.await();
                })
                .stopOnShutdown(false)
                .start()) {
            makeDue("hourly");
            began.await();

            makeDue("hourly");

            Eventually.holds("the job waits once more", () -> queue.size() == 1);
            mayEnd.countDown();
            Eventually.holds("both jobs are done", () -> worker.stats().succeeded() == 2);
        }
    }

    private void awaitFired() {
        Eventually.holds(
                "the time has passed",
                () -> queue.recurringJobs().getFirst().next().isAfter(Instant.now()));
    }

    @Test
    void recurringJobIsPushedOnceWhileTheQueueIsPaused() {
        queue.recurring("hourly", Cron.of("@yearly"), "refresh");
        queue.pause();
        try (Worker worker = queue.worker(1, job -> {}).stopOnShutdown(false).start()) {
            makeDue("hourly");
            Eventually.holds("the job waits", () -> queue.size() == 1);
            makeDue("hourly");
            awaitFired();
            assertThat(queue.size()).isEqualTo(1);

            queue.resume();
            Eventually.holds("the job is done", () -> worker.stats().succeeded() == 1);
            makeDue("hourly");
            Eventually.holds("the job is done again", () -> worker.stats().succeeded() == 2);
        }
    }

    @Test
    void manyJobsThatAreDueAtTheSameTimeArePushedTogether() {
        for (int i = 0; i < 1_200; i++) {
            queue.recurring("tenant-" + i, Cron.of("@yearly"), "t" + i);
            makeDue("tenant-" + i);
        }

        new RecurringJobs(client, new JobKeys("feeds")).fireDue();

        assertThat(queue.size()).isEqualTo(1_200);
    }

    @Test
    void invalidDefinitionIsNotDueAnyMoreAndDoesNotDisturbOthers() {
        client.call(Command.of("HSET", "{feeds}:recurring", "broken", "not a definition"));
        client.call(Command.of("ZADD", DUE, 1, "broken"));
        client.call(Command.of("ZADD", DUE, 1, "undefined"));
        queue.recurring("nightly", Cron.of("@yearly"), "refresh");
        makeDue("nightly");
        List<String> done = Collections.synchronizedList(new ArrayList<>());

        try (Worker unused = queue.worker(1, job -> done.add(job.payload()))
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("the valid job is done", () -> done.contains("refresh"));
            Eventually.holds(
                    "only the valid job has a next time",
                    () ->
                            client
                                    .call(Command.of("ZRANGE", DUE, 0, -1, "WITHSCORES")
                                            .as(Replies.scored(Replies::text)))
                                    .stream()
                                    .map(ScoredMember::member)
                                    .toList()
                                    .equals(List.of("nightly")));
        }
        assertThat(done).containsExactly("refresh");
    }

    /** Makes a job due, as if its time had passed while no worker ran. */
    private void makeDue(String name) {
        client.call(Command.of("ZADD", DUE, 1, name));
    }
}
