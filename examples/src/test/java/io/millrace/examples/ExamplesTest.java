// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.examples.OptimisticLock.Sale;
import io.millrace.queue.DeadJob;
import io.millrace.queue.WorkerStats;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Range;
import io.millrace.tasks.TaskCounts;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.OutcomeCounts;
import io.millrace.testkit.StatsCheck;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ExamplesTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(server.uri()));
        stats.watch("client", () -> figures(client.stats().counts()));
        client.call(Server.flush());
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void keyExistsOnlyBetweenTheSetAndTheDelete() {
        String said = SetGetDelete.run(server.uri());

        assertThat(said).isEqualTo("value before: Optional.empty, value after: Optional[hello], deleted keys: 1");
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void errorInABatchDoesNotStopOtherCommands() {
        client.call(Strings.set("example:visits:b", "text"));

        Map<String, String> report = Batch.count(client, List.of("a", "b", "a2"));

        assertThat(report)
                .containsEntry("a", "1 visits")
                .containsEntry("b", "not counted: ERR value is not an integer or out of range")
                .containsEntry("a2", "1 visits")
                .hasSize(3);
    }

    @Test
    void batchOnAClosedClientReportsThatNothingWasSent() {
        client.close();

        Map<String, String> report = Batch.count(client, List.of("a", "b"));

        assertThat(report).containsOnlyKeys("a", "b");
        assertThat(report.values()).containsOnly("not sent, so the command can be repeated: closed by this client");
    }

    @Test
    void writeIsReportedAsReplicatedOnlyIfAReplicaHasReceivedIt() {
        client.call(Server.setConfig("repl-diskless-sync-delay", "0"));
        EmbeddedOptions options =
                EmbeddedOptions.defaults().withConfig("replicaof " + server.host() + " " + server.port());
        try (EmbeddedRedis replica = EmbeddedRedis.start(options)) {
            boolean connected = ReplicatedWrite.write(client, "1 book", 1, Duration.ofSeconds(60));
            replica.pause();
            boolean paused = ReplicatedWrite.write(client, "2 books", 1, Duration.ofMillis(200));
            replica.resume();

            assertThat(connected).isTrue();
            assertThat(paused).isFalse();
        }
    }

    @Test
    void concurrentSellersNeverSellMoreThanTheStock() throws Exception {
        client.call(Strings.set(OptimisticLock.STOCK, "20"));
        Callable<List<Sale>> selling = () -> IntStream.range(0, 5)
                .mapToObj(sale -> OptimisticLock.sell(client, "buyer", 1))
                .toList();

        List<Sale> sales = new ArrayList<>();
        try (ExecutorService sellers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<List<Sale>> sold : sellers.invokeAll(Collections.nCopies(8, selling))) {
                sales.addAll(sold.get());
            }
        }

        assertThat(sales).hasSize(40).doesNotContain(Sale.BUSY);
        assertThat(Collections.frequency(sales, Sale.SOLD)).isEqualTo(20);
        assertThat(client.call(Strings.get(OptimisticLock.STOCK))).hasValue("0");
        assertThat(client.call(Lists.size(OptimisticLock.BUYERS))).isEqualTo(20);
    }

    @Test
    void tenThreadsWithOneClientLoseNoIncrement() throws Exception {
        long largest = TenThreads.count(client, 100);

        assertThat(largest).isEqualTo(1_000);
    }

    @Test
    void feedThatFailsThreeTimesIsDead() throws Exception {
        List<String> feeds =
                IntStream.range(0, 250).mapToObj(feed -> "feed " + feed).toList();
        List<String> ids = FeedRefresher.queue(client).pushAll(feeds);

        WorkerStats stats = FeedRefresher.refresh(client, feed -> {
            if (feed.equals("feed 7")) {
                throw new IllegalStateException("not a feed");
            }
            return "title of " + feed;
        });

        assertThat(stats.succeeded()).isEqualTo(249);
        assertThat(stats.failed()).isEqualTo(2);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(client.call(Hashes.getAll(FeedRefresher.TITLES)))
                .hasSize(249)
                .containsEntry("feed 8", "title of feed 8");
        assertThat(FeedRefresher.queue(client).dead(10)).extracting(DeadJob::id).containsExactly(ids.get(7));
    }

    @Test
    void failedFeedIsRefreshedByTheNextRun() throws Exception {
        String unused = FeedRefresher.queue(client).push("feed 7");
        WorkerStats first = FeedRefresher.refresh(client, feed -> {
            throw new IllegalStateException("not a feed today");
        });

        WorkerStats second = FeedRefresher.refresh(client, feed -> "title of " + feed);

        assertThat(first.dead()).isEqualTo(1);
        assertThat(second.succeeded()).isEqualTo(1);
        assertThat(FeedRefresher.queue(client).dead(10)).isEmpty();
    }

    @Test
    void rowIsMarkedAsDoneOnlyAfterItsTaskHasSucceeded() throws Exception {
        String url = "jdbc:h2:mem:stale-rows-test";
        try (Connection database = DriverManager.getConnection(url)) {
            StaleRows.createRows(database, 3);
            StaleRows.Database connections = () -> DriverManager.getConnection(url);
            StaleRows.DueFeeds source = new StaleRows.DueFeeds(connections);
            List<String> due = source.next();
            List<String> dueWhileRunning = source.next();
            int dueBefore = StaleRows.countDue(database);

            source.settled(new Outcome.Succeeded<>("feed 0", 1, "title"));
            int dueAfter = StaleRows.countDue(database);

            assertThat(due).containsExactlyInAnyOrder("feed 0", "feed 1", "feed 2");
            assertThat(dueWhileRunning).isEmpty();
            assertThat(dueBefore).isEqualTo(3);
            assertThat(dueAfter).isEqualTo(2);
            assertThat(new StaleRows.DueFeeds(connections).next()).hasSize(2); // after a crash
        }
    }

    @Test
    void severalProducersTogetherReadEachUserExactlyOnce() {
        for (int user = 0; user < 1_201; user++) {
            client.call(Strings.set(ParallelProducers.USER + user, user % 3 == 0 ? "NL" : "FR"));
        }

        TaskCounts counts =
                ParallelProducers.count(client, new Range(0, 1_202), 4).counts();

        assertThat(counts.succeeded()).isEqualTo(1_202);
        assertThat(client.call(Hashes.getAll(ParallelProducers.COUNTRIES)))
                .isEqualTo(Map.of("NL", "401", "FR", "800", "unknown", "1"));
    }

    @Test
    void twoWorkerProcessesShareTheJobsOfAStream() throws Exception {
        StreamWorkQueue.produce(client, 500);

        Process first = StreamWorkQueue.start(server.uri(), "worker-1");
        Process second = StreamWorkQueue.start(server.uri(), "worker-2");

        assertThat(first.waitFor()).isZero();
        assertThat(second.waitFor()).isZero();
        assertThat(client.call(Hashes.getAll(StreamWorkQueue.DONE)))
                .hasSize(500)
                .allSatisfy((job, times) -> assertThat(times).isEqualTo("1"));
    }

    @Test
    void everyJobIsDoneOnceAndAllConsumersEnd() throws Exception {
        List<String> jobs = IntStream.range(0, 500).mapToObj(Integer::toString).toList();
        Queue<String> done = new ConcurrentLinkedQueue<>();
        Set<Thread> workers = Collections.newSetFromMap(new ConcurrentHashMap<>());

        long count = ProducerConsumers.work(client, jobs, 3, job -> {
            workers.add(Thread.currentThread());
            done.add(job);
        });

        assertThat(count).isEqualTo(500);
        assertThat(done).containsExactlyInAnyOrderElementsOf(jobs);
        assertThat(workers).hasSizeBetween(1, 3);
        for (Thread worker : workers) {
            assertThat(worker.join(Duration.ofSeconds(10)))
                    .as("%s ends", worker)
                    .isTrue();
        }
        assertThat(client.call(Lists.size(ProducerConsumers.JOBS))).isZero();
    }

    @Test
    void consumerContinuesAfterALostConnection() throws Exception {
        client.call(Lists.pushRight(ProducerConsumers.JOBS, "a", "b", "c"));
        Queue<String> done = new ConcurrentLinkedQueue<>();
        try (FaultProxy proxy = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient cutOff = RedisClient.connect(RedisUri.of(proxy.host(), proxy.port()))) {
            stats.watch("cut off", () -> figures(cutOff.stats().counts()));

            long count = ProducerConsumers.work(cutOff, List.of(), 1, job -> {
                done.add(job);
                if (job.equals("a")) {
                    proxy.disconnectAll(ConnectionEnd.RESET);
                }
            });

            assertThat(count).isEqualTo(3);
            assertThat(done).containsExactly("a", "b", "c");
        }
    }

    @Test
    void interruptEndsConsumersAndTheirConnections() throws Exception {
        Queue<String> done = new ConcurrentLinkedQueue<>();
        client.call(Lists.pushRight(ProducerConsumers.JOBS, "a"));

        Thread.currentThread().interrupt();
        long count = ProducerConsumers.work(client, List.of(), 3, done::add);
        boolean stillInterrupted = Thread.interrupted();

        assertThat(stillInterrupted).isTrue();
        assertThat(done).hasSize((int) count);
        assertThat(count + client.call(Lists.size(ProducerConsumers.JOBS))).isLessThanOrEqualTo(1);
    }

    @Test
    void everyClickIsEitherCountedOrRefused() throws Exception {
        try (RedisClient refusing = RedisClient.connect(FireAndForget.options(RedisUri.parse(server.uri())))) {
            stats.watch("refusing", () -> figures(refusing.stats().counts()));

            CommandCounts counts = FireAndForget.count(refusing, 50_000);

            assertThat(counts.submitted()).isEqualTo(50_000);
            assertThat(counts.ok() + counts.refused()).isEqualTo(50_000);
            assertThat(counts.ok()).isPositive();
            assertThat(counts.refused()).isPositive();
            assertThat(client.call(Strings.get(FireAndForget.CLICKS))).hasValue(Long.toString(counts.ok()));
        }
    }

    @Test
    void subscriberReceivesMessagesInPublishOrder() {
        List<String> texts = IntStream.range(0, 100).mapToObj(Integer::toString).toList();
        try (Subscription subscription = client.subscribe(SubscribeOptions.channels(Subscriber.CHANNEL))) {

            texts.forEach(text -> client.call(PubSub.publish(Subscriber.CHANNEL, text)));
            Subscriber.Received received = Subscriber.listen(subscription, texts.size());

            assertThat(received).isEqualTo(new Subscriber.Received(texts, 0, 0));
        }
    }

    @Test
    void subscriberMovesToAnotherChannel() {
        try (Subscription subscription = client.subscribe(SubscribeOptions.channels(Subscriber.CHANNEL))) {

            long receivers = Subscriber.move(client, subscription, "example:sport");

            assertThat(receivers).isOne();
            assertThat(client.call(PubSub.publish(Subscriber.CHANNEL, "late"))).isZero();
            assertThat(Subscriber.listen(subscription, 1).texts()).containsExactly("first message");
        }
    }

    private static OutcomeCounts figures(CommandCounts counts) {
        return new OutcomeCounts(
                counts.submitted(),
                counts.ok(),
                counts.error(),
                counts.timedOut(),
                counts.refused(),
                counts.lost(),
                counts.pending());
    }
}
