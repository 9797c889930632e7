// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maintenance of streams: leases, trimming, removing dead consumers, dead letters, abandoned groups. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamMaintenanceTest {

    private static final String GROUP = "mills";

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private RedisClient client;
    private StreamQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = queue(client);
    }

    private static StreamQueue<String> queue(RedisClient client) {
        return StreamQueue.of(client, "feeds", FieldsCodec.of("task", Codec.text()));
    }

    @Test
    void jobWhoseLeaseEndsDuringAPauseOfItsWorkerIsNotCountedAgain() {
        String id = queue.push("task");
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = queue.worker(GROUP, 2, job -> {
                    began.countDown();
                    mayEnd.await();
                })
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("the job has begun", () -> began.getCount() == 0);
            int before = evaluations();

            Eventually.holds("the worker has looked for entries without a lease", () -> {
                Reply unused = client.call(
                        Command.of("XCLAIM", "feeds", GROUP, worker.name(), 0, id, "IDLE", 60_000, "JUSTID"));
                return evaluations() >= before + 12;
            });

            Reply pending = client.call(Command.of("XPENDING", "feeds", GROUP, "-", "+", 10));
            Reply deliveries = Replies.items(Replies.items(pending).getFirst()).get(3);
            assertThat(Replies.integer(deliveries)).isOne();
            mayEnd.countDown();
            Eventually.holds("the job is acknowledged", () -> worker.stats().succeeded() == 1);
        }
    }

    /** The number of scripts that the server has run. */
    private int evaluations() {
        String commands = client.call(Command.of("INFO", "commandstats").as(Replies::text));
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)").matcher(commands);
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    @Test
    void onlyEntriesAcknowledgedByAllGroupsAreTrimmed() throws Exception {
        List<String> ids = queue.pushAll(payloads(1_000));
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        try (Worker slow = queue.worker("slow", 50, job -> {
                    if (Integer.parseInt(job.payload().substring(1)) >= 250) {
                        mayEnd.await();
                    }
                    done.incrementAndGet();
                })
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds(
                    "the slow group has done 250 jobs", () -> slow.stats().succeeded() == 250);
            WorkerStats fast = drain(queue.worker("fast", 50, job -> {}));
            Eventually.holds("the stream is trimmed", () -> client.call(Streams.size("feeds")) < 1_000);

            List<StreamEntry<String>> left = client.call(Streams.range("feeds", "-", "+", 2_000));

            assertThat(fast.succeeded()).isEqualTo(1_000);
            assertThat(left).hasSizeBetween(750, 850);
            assertThat(left).extracting(StreamEntry::id).contains(ids.get(250));
            mayEnd.countDown();
            Eventually.holds(
                    "the slow group has done all jobs", () -> slow.stats().succeeded() == 1_000);
        }
        assertThat(client.call(Streams.size("feeds"))).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void trimmingRemovesManyEntriesAndKeepsTheConfiguredNumber(long kept) throws Exception {
        List<String> unused = queue.pushAll(payloads(25_000));

        WorkerStats stats = drain(queue.keepAtLeast(kept).worker(GROUP, 100, job -> {}));

        assertThat(stats.succeeded()).isEqualTo(25_000);
        assertThat(client.call(Streams.size("feeds"))).isBetween(kept, kept + 100);
    }

    @Test
    void streamWithoutTrimmingKeepsItsEntries() throws Exception {
        List<String> unused = queue.pushAll(payloads(1_000));

        WorkerStats stats = drain(queue.withoutTrimming().worker(GROUP, 100, job -> {}));

        assertThat(stats.succeeded()).isEqualTo(1_000);
        assertThat(client.call(Streams.size("feeds"))).isEqualTo(1_000);
    }

    @Test
    void pushLimitsTheLengthOfTheStream() {
        List<String> unused = queue.maxLength(200).pushAll(payloads(2_000));

        assertThat(client.call(Streams.size("feeds"))).isBetween(200L, 400L);
    }

    @Test
    void deadLettersAreLimited() throws Exception {
        List<String> unused = queue.pushAll(payloads(1_000));

        WorkerStats stats = drain(queue.maxDead(200)
                .worker(GROUP, 50, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        assertThat(stats.dead()).isEqualTo(1_000);
        assertThat(client.call(Streams.size(queue.deadLetters()))).isBetween(200L, 400L);
        assertThat(queue.status().dead()).isBetween(200L, 400L);
    }

    @Test
    void streamThatKeepsNoDeadLettersHasNone() throws Exception {
        List<String> unused = queue.pushAll(payloads(10));

        WorkerStats stats = drain(queue.maxDead(0)
                .worker(GROUP, 5, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        assertThat(stats.dead()).isEqualTo(10);
        assertThat(queue.status().dead()).isZero();
    }

    @Test
    void groupThatNobodyUsesIsReportedWhenItsOldestEntryIsOlderThanADay() {
        long hour = Duration.ofHours(1).toMillis();
        long now = System.currentTimeMillis();
        client.call(Streams.add("feeds", (now - 30 * hour) + "-1", Map.of("task", "old")));
        client.call(Streams.createGroup("feeds", "unused", "0"));
        client.call(Streams.createGroup("feeds", "upToDate", "$"));
        client.call(Streams.createGroup("feeds", "active", "0"));
        client.call(Command.of("XGROUP CREATECONSUMER", "feeds", "active", "someone"));

        StreamStatus status = queue.status();

        assertThat(status.entries()).isEqualTo(1);
        assertThat(status.groups())
                .filteredOn(StreamStatus.Group::abandoned)
                .extracting(StreamStatus.Group::name)
                .containsExactly("unused");
        assertThat(status.groups())
                .extracting(StreamStatus.Group::oldest)
                .anySatisfy(age -> assertThat(age).isBetween(Duration.ofHours(29), Duration.ofHours(31)));
        assertThat(queue(client).status().groups()).hasSize(3);
    }

    @Test
    void statusOfAMissingStreamHasNoGroups() {
        assertThat(queue.status()).isEqualTo(new StreamStatus("feeds", false, 0, 0, 0, List.of()));
    }

    @Test
    void deadConsumerWithAGeneratedNameAndNoPendingJobIsRemoved() throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        String unused = queue.push("a");
        Worker idle = queue(line.client())
                .worker(GROUP, 1, job -> {})
                .lease(LEASE)
                .stopOnShutdown(false)
                .start();
        Eventually.holds("the worker has no pending job", () -> idle.stats().succeeded() == 1);
        assertThat(consumers(client)).hasSize(1);
        line.disconnect();
        idle.close();
        long cutAt = System.nanoTime();
        Eventually.holds("the lease has passed", () -> System.nanoTime() - cutAt > 2 * LEASE.toNanos());

        WorkerStats stats = drain(queue.worker(GROUP, 1, job -> {}));

        assertThat(stats.taken()).isZero();
        assertThat(consumers(client)).isEmpty();
    }

    @Test
    void deadLetterOfAnEntryWithManyFieldsStoresTheFieldsInOneField() throws Exception {
        Map<String, String> fields = new LinkedHashMap<>();
        payloads(5_000).forEach(name -> fields.put(name, "x"));
        client.call(Streams.add("feeds", fields));

        WorkerStats stats = drain(queue.worker(GROUP, 1, job -> {}).maxAttempts(1));

        assertThat(stats.dead()).isEqualTo(1);
        assertThat(client.call(Streams.range(queue.deadLetters(), "-", "+", 10)))
                .singleElement()
                .satisfies(letter -> assertThat(letter.fields())
                        .containsOnlyKeys(
                                "millrace-fields",
                                "millrace-id",
                                "millrace-group",
                                "millrace-deliveries",
                                "millrace-reason"));
    }

    @Test
    void returningAnEarlierDeliveryKeepsTheLaterDeliveryPending() {
        String id = queue.push("a");
        client.call(Streams.createGroup("feeds", GROUP, "0"));
        client.call(Command.of("XREADGROUP", "GROUP", GROUP, "me", "STREAMS", "feeds", ">"));

        long earlier = release(id, 2);
        long current = release(id, 1);

        assertThat(earlier).isZero();
        assertThat(current).isOne();
    }

    private long release(String id, int number) {
        return client.call(Scripts.run(
                        StreamScripts.RETURN,
                        List.of("feeds"),
                        List.of(GROUP, "me", "millrace-returned", id, number, 600, number))
                .as(Replies::integer));
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
