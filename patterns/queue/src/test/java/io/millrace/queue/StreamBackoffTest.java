// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams whose jobs all fail, as in an outage of a service that the jobs need. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamBackoffTest {

    private static final String GROUP = "mills";
    private static final Duration LEASE = Duration.ofMillis(200);
    private static final Pattern DROPPED = Pattern.compile(
            "SEVERE the oldest dead jobs were dropped: queue=feeds, worker=\\S+, jobs=(?<jobs>\\d+), maxDead=100\\. "
                    + "Redrive or purge the dead jobs in time\\.");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private RedisClient client;
    private StreamQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = StreamQueue.of(client, "feeds", FieldsCodec.of("task", Codec.text()));
    }

    @Test
    void attemptsFollowTheDefaultBackoffAndNotTheLease() {
        String id = queue.push("a");
        List<Long> beganAt = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = queue.worker(GROUP, 1, job -> {
                    beganAt.add(System.nanoTime());
                    throw new IllegalStateException("the service is down");
                })
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("three attempts have begun", () -> beganAt.size() == 3);
            assertThat(worker.stats().dead()).isZero();
        }

        assertThat(id).isNotEmpty();
        assertThat(beganAt.get(1) - beganAt.get(0)).isGreaterThanOrEqualTo(500_000_000); // 1 s, jitter 0.5
        assertThat(beganAt.get(2) - beganAt.get(1)).isGreaterThanOrEqualTo(1_000_000_000);
    }

    @Test
    void entryBehindManyThatWaitForTheirBackoffIsClaimed() {
        failForAnHour(2_500);
        String last = queue.push("last");
        client.call(Command.of("XREADGROUP", "GROUP", GROUP, "dead", "COUNT", 1, "STREAMS", "feeds", ">"));
        ConcurrentHashMap<String, String> done = new ConcurrentHashMap<>();

        try (Worker worker = queue.worker(GROUP, 1, job -> done.put(job.id(), job.payload()))
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("the job is acknowledged", () -> worker.stats().succeeded() == 1);
        }

        assertThat(done).containsOnlyKeys(last);
    }

    @ParameterizedTest
    @CsvSource({"0, 20", "1, 20", "2, 40", "10, 200", "25, 500", "1000, 500"})
    void waitBetweenTwoClaimsOfARoundIsTwentyTimesTheTimeOfAClaim(long claimMillis, long waitMillis) {
        assertThat(StreamFetcher.waitInRound(Duration.ofMillis(claimMillis).toNanos()))
                .isEqualTo(Duration.ofMillis(waitMillis));
    }

    /** Each claim of a worker looks at 1,000 entries. The time of the attempts depends on the time of a claim. */
    @Test
    void dueEntryBehindManyThatWaitForTheirBackoffIsRepeated() {
        Duration lease = Duration.ofSeconds(2);
        failForAnHour(20_000);
        Eventually.holds("claims look at all failed entries", () -> idleFor(lease) == 20_000);
        String last = queue.push("last");
        Set<String> repeated = ConcurrentHashMap.newKeySet();
        AtomicInteger attempts = new AtomicInteger();

        try (Worker worker = queue.worker(GROUP, 1, job -> {
                    repeated.add(job.id());
                    attempts.incrementAndGet();
                    throw new IllegalStateException("the service is down");
                })
                .backoff(TestJobs.AT_ONCE)
                .lease(lease)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("four attempts have begun", () -> attempts.get() >= 4);
            assertThat(worker.stats().dead()).isZero();
        }

        assertThat(repeated).containsExactly(last);
    }

    private void failForAnHour(int jobs) {
        List<String> unused = queue.pushAll(payloads(jobs));
        try (Worker worker = queue.worker(GROUP, 100, job -> {
                    throw new IllegalStateException("the service is down");
                })
                .backoff(RetryBackoff.fixed(Duration.ofHours(1)))
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("all jobs have failed", () -> worker.stats().failed() == jobs);
        }
    }

    private long idleFor(Duration time) {
        Command<Integer> pending = Command.of("XPENDING", "feeds", GROUP, "IDLE", time.toMillis(), "-", "+", 20_000)
                .as(reply -> Replies.items(reply).size());
        return client.call(pending);
    }

    @Test
    void droppedDeadLettersAreCountedAndLogged() throws Exception {
        StreamQueue<String> limited = queue.maxDead(100);
        List<String> unused = limited.pushAll(payloads(350));

        WorkerStats stats = TestJobs.drain(limited.worker(GROUP, 10, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        int kept = queue.dead(1_000).size();
        long logged = log.lines().stream()
                .map(DROPPED::matcher)
                .filter(Matcher::matches)
                .mapToLong(line -> Long.parseLong(line.group("jobs")))
                .sum();
        assertThat(stats.dead()).isEqualTo(350);
        assertThat(kept).isBetween(100, 250);
        assertThat(logged).isPositive();
        assertThat(queue.status().dropped()).isEqualTo(350 - kept);
        assertThat(logged).isEqualTo(350 - kept);
    }
}
