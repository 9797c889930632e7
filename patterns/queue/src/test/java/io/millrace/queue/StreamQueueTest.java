// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.draining;
import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Queues in streams with consumer groups. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamQueueTest {

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
    void everyJobIsDoneOnceAndAcknowledged() throws Exception {
        List<String> ids = queue.pushAll(payloads(3_000));
        List<Job<String>> done = new ArrayList<>();

        WorkerStats stats = drain(queue.worker(GROUP, 1, done::add));

        if (stats.returned() == 0) { // on a busy machine, a job may wait too long for its place, and is done later
            assertThat(done).extracting(Job::id).isEqualTo(ids);
        }
        done.sort(Comparator.comparingInt(job -> ids.indexOf(job.id())));
        assertThat(done).extracting(Job::id).isEqualTo(ids);
        assertThat(done).extracting(Job::payload).isEqualTo(payloads(3_000));
        assertThat(done.getFirst().pushedAt().toEpochMilli()).isEqualTo(StreamIds.millis(ids.getFirst()));
        assertThat(stats.succeeded()).isEqualTo(3_000);
        assertThat(pending(client)).isZero();
        assertThat(consumers(client)).isEmpty();
    }

    @Test
    void eachConsumerGroupReceivesEveryJob() throws Exception {
        queue = queue.withoutTrimming();
        List<String> unused = queue.pushAll(payloads(300));

        WorkerStats one = drain(queue.worker("one", 4, job -> {}));
        WorkerStats other = drain(queue.worker("other", 4, job -> {}));

        assertThat(one.succeeded()).isEqualTo(300);
        assertThat(other.succeeded()).isEqualTo(300);
    }

    @Test
    void newGroupCanSkipExistingEntries() throws Exception {
        List<String> unused = queue.pushAll(payloads(10));

        WorkerStats stats = drain(queue.newGroupsFrom("$").worker(GROUP, 4, job -> {}));

        assertThat(stats.taken()).isZero();
    }

    @Test
    void fieldsOfAJobAreDeliveredUnchangedAndInOrder() throws Exception {
        StreamQueue<Map<String, String>> orders = StreamQueue.of(client, "orders", FieldsCodec.TEXT);
        Map<String, String> order = new LinkedHashMap<>();
        List.of("z", "a", "Łódź").forEach(name -> order.put(name, name + "!"));
        String id = orders.push(order);
        List<Map<String, String>> seen = new ArrayList<>();

        WorkerStats unused = drain(orders.worker(GROUP, 1, job -> seen.add(job.payload())));

        assertThat(id).matches("\\d+-\\d+");
        assertThat(seen).containsExactly(order);
        assertThat(seen.getFirst().keySet()).containsExactly("z", "a", "Łódź");
    }

    @Test
    void jobWithoutFieldsIsRejected() {
        StreamQueue<Map<String, String>> orders = StreamQueue.of(client, "orders", FieldsCodec.TEXT);

        assertThatThrownBy(() -> orders.push(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a job has no fields: queue=orders. Use a codec that returns at least one field.");
    }

    @Test
    void failedPushThrowsTheErrorOfTheServer() {
        client.call(Strings.set("feeds", "not a stream"));

        assertThatThrownBy(() -> queue.push("a")).hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> queue.pushAll(payloads(100))).hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() ->
                        queue.worker(GROUP, 1, job -> {}).stopOnShutdown(false).start())
                .hasMessageContaining("WRONGTYPE");
    }

    @Test
    void failedJobIsDoneAgainAfterItsBackoff() throws Exception {
        List<String> ids = queue.pushAll(payloads(10));
        Map<String, List<Integer>> attempts = new ConcurrentHashMap<>();

        WorkerStats stats = drain(queue.worker(GROUP, 2, job -> {
            attempts.computeIfAbsent(job.id(), id -> Collections.synchronizedList(new ArrayList<>()))
                    .add(job.attempt());
            if (job.payload().equals("t3") && !job.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        }));

        assertThat(attempts).hasSize(10);
        assertThat(attempts.get(ids.get(3))).containsExactly(1, 2);
        assertThat(stats.repeated()).isEqualTo(1);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.succeeded()).isEqualTo(10);
    }

    @Test
    void jobThatAlwaysFailsIsDeadLetteredWithItsReason() throws Exception {
        List<String> ids = queue.pushAll(payloads(5));
        AtomicInteger onDead = new AtomicInteger();

        WorkerStats stats = drain(queue.worker(GROUP, 2, job -> {
                    if (job.payload().equals("t2")) {
                        throw new IllegalStateException("poison\nin two lines");
                    }
                })
                .maxAttempts(2)
                .onDead((job, cause) -> onDead.incrementAndGet()));

        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(onDead).hasValue(1);
        assertThat(pending(client)).isZero();
        List<StreamEntry<String>> dead = client.call(Streams.range(queue.deadLetters(), "-", "+", 10));
        assertThat(dead).singleElement().satisfies(entry -> {
            assertThat(entry.fields()).containsEntry("task", "t2").containsEntry("millrace-deliveries", "2");
            assertThat(entry.fields()).containsEntry("millrace-group", GROUP).containsEntry("millrace-id", ids.get(2));
            assertThat(entry.fields().get("millrace-reason")).contains("poison in two lines");
        });
    }

    @Test
    void jobThatCannotBeDecodedIsDeadLettered() throws Exception {
        client.call(Streams.add("feeds", Map.of("other", "field")));
        List<String> unused = queue.pushAll(payloads(2));

        WorkerStats stats = drain(queue.worker(GROUP, 2, job -> {}).maxAttempts(1));

        assertThat(stats.succeeded()).isEqualTo(2);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(client.call(Streams.range(queue.deadLetters(), "-", "+", 10)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields()).containsEntry("other", "field"));
    }

    @Test
    void jobsOfADeadWorkerAreDoneOneAtATimeByAnotherWorker() throws Exception {
        List<String> unused = queue.pushAll(payloads(30));
        RedisServerExtension.BreakableConnection line = abandonedWorker(20);
        AtomicInteger suspectsRunning = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        WorkerStats stats = drain(queue.worker(GROUP, 10, job -> {
            if (job.isRepeated()) {
                most.accumulateAndGet(suspectsRunning.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                suspectsRunning.decrementAndGet();
            }
        }));

        assertThat(stats.succeeded()).isEqualTo(30);
        assertThat(stats.repeated()).isEqualTo(20);
        assertThat(most).hasValue(1);
        assertThat(consumers(client)).isEmpty();
        assertThat(line.proxy().openConnections()).isZero();
    }

    /** Starts a worker that takes jobs, and cuts its connection for good. */
    private RedisServerExtension.BreakableConnection abandonedWorker(int jobs) throws InterruptedException {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        CountDownLatch began = new CountDownLatch(jobs);
        Worker worker = queue(line.client())
                .worker(GROUP, jobs, job -> {
                    began.countDown();
                    Thread.currentThread().join();
                })
                .lease(LEASE)
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start();
        began.await();
        line.disconnect();
        worker.close();
        return line;
    }

    @Test
    void jobWhoseWorkersDieIsDeadLetteredByTheNextWorker() throws Exception {
        List<String> unused = queue.pushAll(payloads(1));
        for (int i = 0; i < 2; i++) {
            RedisServerExtension.BreakableConnection cut = abandonedWorker(1);
            assertThat(cut.proxy().openConnections()).isZero();
        }
        List<String> dead = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(GROUP, 1, job -> {})
                .maxDeaths(2)
                .onDead((job, cause) -> dead.add(job.payload() + ": " + cause.getMessage())));

        assertThat(stats.taken()).isZero();
        assertThat(client.call(Streams.size(queue.deadLetters()))).isOne();
        Eventually.holds("the handler of dead jobs was called", () -> dead.size() == 1);
        assertThat(dead)
                .singleElement()
                .asString()
                .matches(
                        "t0: the worker died 2 times while this job ran: queue=feeds, job=\\S+\\. "
                                + "Find out why the processes ended, for example from their exit codes, then redrive the job\\.");
    }

    @Test
    void concurrentWorkersClaimEachJobOnce() throws Exception {
        List<String> unused = queue.pushAll(payloads(100));
        RedisServerExtension.BreakableConnection line = abandonedWorker(100);
        Map<String, Integer> effects = new ConcurrentHashMap<>();

        List<Worker> workers = IntStream.range(0, 4)
                .mapToObj(i -> draining(queue.worker(GROUP, 5, job -> effects.merge(job.payload(), 1, Integer::sum)))
                        .start())
                .toList();
        for (Worker worker : workers) {
            worker.await();
        }

        assertThat(effects).hasSize(100);
        assertThat(effects.values()).containsOnly(1);
        assertThat(line.proxy().openConnections()).isZero();
    }

    @Test
    void secondWorkerOfALiveNameIsRefusedAfterTheRemainingLease() {
        try (Worker first = named().start()) {

            assertThatThrownBy(() -> named().start())
                    .isInstanceOf(QueueException.class)
                    .hasMessageMatching("the worker was not started: another live worker has its name after a wait of "
                            + "\\d+ ms: queue=feeds, worker=mill-1, remainingLease=.*");

            assertThat(first.name()).isEqualTo("mill-1");
        }
        named().start().close();
    }

    private WorkerBuilder<String> named() {
        return queue.worker(GROUP, 1, job -> {}).name("mill-1").lease(LEASE).stopOnShutdown(false);
    }

    @Test
    void workerTakesOnlyJobsThatItCanBegin() {
        List<String> unused = queue.pushAll(payloads(50));
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Worker worker = queue.worker(GROUP, 7, job -> mayEnd.await())
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("all places are occupied", () -> worker.stats().pending() == 7);

            assertThat(pending(client)).isEqualTo(7);
            mayEnd.countDown();
            Eventually.holds("all jobs are done", () -> worker.stats().succeeded() == 50);
        }
    }

    @Test
    void jobsOfAClosedWorkerAreDoneAgainUncounted() throws Exception {
        List<String> unused = queue.pushAll(payloads(10));
        CountDownLatch began = new CountDownLatch(4);
        Worker worker = queue.worker(GROUP, 4, job -> {
                    began.countDown();
                    Thread.currentThread().join();
                })
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start();
        began.await();
        worker.close();
        List<Job<String>> seen = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(GROUP, 4, seen::add));

        assertThat(worker.stats().returned()).isEqualTo(4);
        assertThat(seen).extracting(Job::payload).containsExactlyInAnyOrderElementsOf(payloads(10));
        assertThat(seen).extracting(Job::attempt).containsOnly(1);
        assertThat(stats.repeated()).isZero();
    }

    @Test
    void deletedGroupIsCreatedAgain() {
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = queue.worker(GROUP, 1, job -> done.add(job.payload()))
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            queue.push("before");
            Eventually.holds(
                    "the first job is acknowledged", () -> worker.stats().succeeded() == 1);
            client.call(Keys.delete("feeds"));
            queue.push("after");
            Eventually.holds("the second job is done", () -> done.contains("after"));

            Eventually.holds(
                    "the worker waits",
                    () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                            .contains("blocked_clients:1"));
            client.call(Keys.delete("feeds"));
            queue.push("at last");

            Eventually.holds("the third job is done", () -> done.contains("at last"));
            assertThat(done).containsExactly("before", "after", "at last");
        }
    }

    @Test
    void deletedEntryIsCountedAsMissingAndDoesNotBlockOtherEntries() throws Exception {
        List<String> ids = queue.pushAll(payloads(3));
        RedisServerExtension.BreakableConnection line = abandonedWorker(3);
        client.call(Streams.delete("feeds", ids.get(1)));

        WorkerStats stats = drain(queue.worker(GROUP, 2, job -> {}));

        assertThat(stats.succeeded()).isEqualTo(2);
        assertThat(stats.missing()).isEqualTo(1);
        assertThat(line.proxy().openConnections()).isZero();
    }

    private static long pending(RedisClient client) {
        try {
            return Replies.integer(Replies.items(client.call(Command.of("XPENDING", "feeds", GROUP)))
                    .getFirst());
        } catch (ErrorReplyException e) { // the group does not exist yet
            return 0;
        }
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
